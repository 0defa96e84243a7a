import { z } from 'zod';
import { isoDurationSeconds } from '../../domain/approval-policies/durations.ts';
import type { Json } from '../../domain/json.ts';
import { AUTHENTICATION_METHODS, type StoredAuthentication } from '../../domain/passkeys/authentication.ts';
import { SCOPES } from '../../domain/scopes.ts';
import { GOVERNANCE_WARNING_CODES } from '../../domain/governance-warnings.ts';
import { validationError } from '../../domain/errors.ts';

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

/** Query members of a page. A route with `list` has them from its declaration. */
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

/** Years that PostgreSQL and JavaScript write alike. */
const MS_MIN = Date.UTC(1970, 0, 1);
const REMEMBERED_MS_MIN = Date.parse('0001-01-01T00:00:00Z');
const MS_MAX = Date.parse('9999-12-31T23:59:59.999Z');
/** `abort`: the following checks parse the date and would throw. */
const rfc3339 = z.iso.datetime({ offset: true, abort: true });

const nearest = (text: string, msMin: number) => new Date(Math.min(MS_MAX, Math.max(msMin, Date.parse(text))));
const nearestFrom = (msMin: number) => rfc3339.transform((text) => nearest(text, msMin));
const boundedFrom = (msMin: number, years: string) =>
  rfc3339
    .refine((text) => Date.parse(text) >= msMin && Date.parse(text) <= MS_MAX, `must be in the years ${years}`)
    .transform((text) => new Date(text));

/** Filters a list by a moment; one outside the supported years becomes the nearest inside them. */
export const filterInstant = nearestFrom(MS_MIN);

/** The same as UTC text, for a stored filter and for a due time, where every past time means now. */
export const nearestInstant = rfc3339.overwrite((text) => nearest(text, MS_MIN).toISOString());

/** A stored moment in UTC: PostgreSQL does not accept every year and offset of RFC 3339. */
export const storedInstant = boundedFrom(MS_MIN, '1970 to 9999').transform((instant) => instant.toISOString());

export const rememberedFilterInstant = nearestFrom(REMEMBERED_MS_MIN);
export const rememberedInstant = boundedFrom(REMEMBERED_MS_MIN, '1 to 9999');

const CHARACTERS_MAX = 40;

/** A duration in ISO 8601. Both ends are inclusive. */
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

export function durationSeconds(text: string): number {
  const seconds = isoDurationSeconds(text);
  if (seconds === null) throw new Error(`${text} was taken for a duration and is none`);
  return seconds;
}

/** Version number in a path: at most nine digits, to fit the column. */
export const versionNumber = z
  .string()
  .regex(/^[1-9]\d{0,8}$/, 'must be the number of a version')
  .transform(Number)
  .describe('Number of the version, from 1.');

/**
 * Any JSON value, unchanged. `z.json()` walks every value through a union of six schemas, which took four times as long as parsing; request
 * bodies come from `parseJsonText` and are JSON already.
 */
export const anyJson = z
  .unknown()
  .refine((value) => value !== undefined, { error: 'is required', abort: true })
  .meta({ id: 'JsonValue', description: 'Any JSON value.' }) as unknown as z.ZodType<Json, Json>;

/** A list shortens large members; the route of the single record returns them whole. */
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

/** Confirmation of a deletion in a protected environment. */
export const confirmProtected = {
  description: CONFIRMATION,
  query: z.strictObject({ confirmProtected: queryBoolean.optional().describe(CONFIRMATION) }),
  body: z.strictObject({ confirmProtected: z.boolean().optional().describe(CONFIRMATION) }).optional(),
};

type Given = { confirmProtected?: boolean | undefined } | undefined;

export function isConfirmed(query: Given, body: Given): boolean {
  return query?.confirmProtected === true || body?.confirmProtected === true;
}

export function refuseUnconfirmed(what: string, environment: string): Error {
  const message = `The environment "${environment}" is protected. To delete this ${what} for good, send confirmProtected=true as a query parameter, or {"confirmProtected": true} as the JSON body.`;
  return validationError(
    [{ path: 'query.confirmProtected', message: 'must be true in a protected environment' }],
    message,
  );
}

/** How the actor of a decision or of an audit entry was authenticated. */
export const authenticationSchema = z
  .strictObject({
    method: z
      .enum(AUTHENTICATION_METHODS)
      .describe(
        '`passkey` and `recovery_code`: beside the password. `chat`: the account of a chat, linked to the actor.',
      ),
    at: z.iso.datetime().describe('When a person of a session was; for the others the time of the record.'),
  })
  .meta({ id: 'Authentication' });

/** `recordedAt`: when a credential was used that proves itself with each request. */
export function presentAuthentication(
  { method, at }: StoredAuthentication,
  recordedAt: string,
): z.input<typeof authenticationSchema> {
  return { method, at: at ?? recordedAt };
}
