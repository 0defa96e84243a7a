import { z } from 'zod';
import { isoDurationSeconds } from '../../domain/approval-policies/durations.ts';
import type { Json } from '../../domain/json.ts';
import { SCOPES } from '../../domain/scopes.ts';
import { GOVERNANCE_WARNING_CODES } from '../../domain/governance-warnings.ts';
import { validationError } from '../../domain/errors.ts';

/** The part of a list that was asked for. */
export interface Page {
  limit: number;
  offset: number;
}

export interface Pagination {
  total: number;
  page: number;
  limit: number;
  totalPages: number;
  hasMore: boolean;
}

export const PAGE_LIMIT_DEFAULT = 20;
export const PAGE_LIMIT_MAX = 100;
/** Beyond it OFFSET is too costly, and nobody pages that far by hand. */
export const PAGE_MAX = 100_000;

/** The page, as a query asks for it. A route with `list` gets these members from its declaration and adds only its own to them. */
export const pageQuery = {
  page: z.coerce.number().int().min(1).max(PAGE_MAX).default(1).meta({ description: 'The page, from 1.' }),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(PAGE_LIMIT_MAX)
    .default(PAGE_LIMIT_DEFAULT)
    .meta({ description: 'Items on a page.' }),
};

/** A boolean of a query string: `true` or `false`, nothing else. */
export const queryBoolean = z.enum(['true', 'false']).transform((value) => value === 'true');

export const paginationSchema = z
  .strictObject({
    total: z.int().min(0),
    page: z.int().min(1),
    limit: z.int().min(1),
    totalPages: z.int().min(0),
    hasMore: z.boolean(),
  })
  .meta({ id: 'OffsetPagination' });

/** A page of records as the API shows them. */
export function presented<Item, Shown>(
  { items, total }: { items: readonly Item[]; total: number },
  present: (item: Item) => Shown,
): { items: Shown[]; total: number } {
  return { items: items.map((item) => present(item)), total };
}

export function paginationOf(total: number, page: number, limit: number): Pagination {
  const totalPages = Math.ceil(total / limit);
  return { total, page, limit, totalPages, hasMore: page < totalPages };
}

/** Years that PostgreSQL and JavaScript write alike: ours, and those that something may be remembered of. */
const MS_MIN = Date.UTC(1970, 0, 1);
const REMEMBERED_MS_MIN = Date.parse('0001-01-01T00:00:00Z');
const MS_MAX = Date.parse('9999-12-31T23:59:59.999Z');
/** `abort`: what follows it reads a moment, and would fail over another text. */
const rfc3339 = z.iso.datetime({ offset: true, abort: true });

const nearest = (text: string, msMin: number) => new Date(Math.min(MS_MAX, Math.max(msMin, Date.parse(text))));
const nearestFrom = (msMin: number) => rfc3339.transform((text) => nearest(text, msMin));
const boundedFrom = (msMin: number, years: string) =>
  rfc3339
    .refine((text) => Date.parse(text) >= msMin && Date.parse(text) <= MS_MAX, `must be in the years ${years}`)
    .transform((text) => new Date(text));

/** A moment that a list is filtered by: one out of these years is the nearest in them. */
export const filterInstant = nearestFrom(MS_MIN);

/** The same as text in UTC: of a filter that is kept and shown again, or of a due time, where each time that has passed is now. */
export const nearestInstant = rfc3339.overwrite((text) => nearest(text, MS_MIN).toISOString());

/** A moment that is stored, in UTC: PostgreSQL takes neither every year nor every offset that RFC 3339 has. */
export const storedInstant = boundedFrom(MS_MIN, '1970 to 9999').transform((instant) => instant.toISOString());

/** The same of what is remembered, which may have been long ago. */
export const rememberedFilterInstant = nearestFrom(REMEMBERED_MS_MIN);
export const rememberedInstant = boundedFrom(REMEMBERED_MS_MIN, '1 to 9999');

const CHARACTERS_MAX = 40;

/** A duration as requests name it, in ISO 8601. Both ends are written so, and are allowed themselves. */
export function durationSchema({ from, to, example }: { from: string; to: string; example: string }) {
  const [least, most] = [durationSeconds(from), durationSeconds(to)];
  return z
    .string()
    .max(CHARACTERS_MAX)
    .refine((text) => {
      const seconds = isoDurationSeconds(text);
      return seconds !== null && seconds >= least && seconds <= most;
    }, `must be an ISO 8601 duration from ${from} to ${to}, such as ${example}`);
}

/** Seconds of a duration that its schema let through. */
export function durationSeconds(text: string): number {
  const seconds = isoDurationSeconds(text);
  if (seconds === null) throw new Error(`${text} was taken for a duration and is none`);
  return seconds;
}

/** The number of an immutable version in a path. Nine digits at most, so that every number fits into the column. */
export const versionNumber = z
  .string()
  .regex(/^[1-9]\d{0,8}$/, 'must be the number of a version')
  .transform(Number)
  .describe('Number of the version, from 1.');

/**
 * Any JSON value, taken as it is. `z.json()` walks every value through a union of six schemas, which took four times as long as parsing a
 * body; whatever a request holds came out of `parseJsonText` and is JSON already.
 */
export const anyJson = z
  .unknown()
  .refine((value) => value !== undefined, { error: 'is required', abort: true })
  .meta({ id: 'JsonValue', description: 'Any JSON value.' }) as unknown as z.ZodType<Json, Json>;

/** What a list shows of a large member. The route of the one record answers it whole. */
export const shortenedSchema = z
  .strictObject({
    truncated: z.literal(true),
    bytes: z.int().min(0).describe('The size of its JSON text.'),
    preview: z.string().describe('The beginning of that text.'),
  })
  .meta({
    id: 'Shortened',
    description: 'In lists, in place of a member of more than 4 KiB of JSON. Get the one record to have it whole.',
  });

export const orShortened = <Schema extends z.ZodType>(schema: Schema) => z.union([schema, shortenedSchema]);

export const scopeSchema = z.enum(SCOPES).meta({ id: 'Scope' });

export const governanceWarningSchema = z
  .strictObject({
    path: z.string().describe('Dotted path into what was written, such as `document.rules[0].match.actions[1]`.'),
    code: z.enum(GOVERNANCE_WARNING_CODES).describe('Each code is explained in docs/reference/warnings.md.'),
    message: z.string(),
  })
  .meta({ id: 'GovernanceWarning' });

const CONFIRMATION = 'In a protected environment send `confirmProtected: true`, as query parameter or in a JSON body.';

/** What a deletion asks for in a protected environment, for its declaration. */
export const confirmProtected = {
  description: CONFIRMATION,
  query: z.strictObject({ confirmProtected: queryBoolean.optional().describe(CONFIRMATION) }),
  body: z.strictObject({ confirmProtected: z.boolean().optional().describe(CONFIRMATION) }).optional(),
};

type Given = { confirmProtected?: boolean | undefined } | undefined;

export function isConfirmed(query: Given, body: Given): boolean {
  return query?.confirmProtected === true || body?.confirmProtected === true;
}

/** The error of a deletion that was not confirmed. `what` is the thing in a word: `secret`. */
export function refuseUnconfirmed(what: string, environment: string): Error {
  const message = `The environment "${environment}" is protected. To delete this ${what} for good, send confirmProtected=true as a query parameter, or {"confirmProtected": true} as the JSON body.`;
  return validationError(
    [{ path: 'query.confirmProtected', message: 'must be true in a protected environment' }],
    message,
  );
}
