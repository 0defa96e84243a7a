import { z } from 'zod';
import { beginRead, type ReadStart } from '../../db/analytics/rollups.ts';
import type { EnvironmentTransaction, Tenant } from '../../db/client.ts';
import type { Interval } from '../../domain/analytics/grid.ts';
import { type AnalyticsRange, isRangeIssue, RANGE_DEFAULT_MS, resolveRange } from '../../domain/analytics/range.ts';
import { validationError } from '../../domain/errors.ts';
import type { Caller } from '../http/define-route.ts';
import { etagOf } from '../http/replies.ts';
import type { EnvironmentHandlerContext } from '../http/route-forms.ts';
import { type Page, pageQuery, paginationOf } from '../http/common-fields.ts';
import { type Columns, csvOf } from './csv.ts';
import { boundsQuery, rangeQuery, rangeSchema } from './range-schemas.ts';
import { inAnalyticsSlot } from './reads.ts';

/** Nothing in a rollup is newer than its fold, which runs each minute. */
const CACHE_CONTROL = 'private, max-age=15';

const AREA_PATH = '/api/v2/';

export interface ReadContext<Query> {
  query: Query;
  range: AnalyticsRange;
  page: Page;
  tenant: Tenant;
  /** Start of the transaction, by the database's clock. */
  now: Date;
  caller: Caller;
}

interface Answer {
  data: unknown;
  /** The range is added to it. */
  beside?: Readonly<Record<string, unknown>>;
  total?: number;
}

interface AnalyticsRead<Q extends z.ZodRawShape, Data extends z.ZodType> {
  id: string;
  path: string;
  summary: string;
  /** States what each number counts and what it excludes. */
  description: string;
  query?: Q;
  /**
   * `none`: no range in query or reply. `defaultMs`: length when `from` is left out. `interval`: fixed UTC grid; the query has neither
   * `interval` nor `timezone`. `month`: the current UTC month.
   */
  range?: 'none' | 'month' | { defaultMs?: number; interval?: Interval };
  /** Reads the records, no rollup: counts everything committed, and `completeUntil` is now. */
  exact?: true;
  paged?: true;
  /** The range is added: as a member of an object, beside a list. */
  data: Data;
  beside?: Readonly<Record<string, z.ZodType>>;
  /** Columns of the CSV form, and its records when they are not `data` itself. */
  csv?: { columns: Columns; records?(data: z.input<Data>): readonly object[] };
  /** Runs in one read-only snapshot with a time-out. */
  read(
    tx: EnvironmentTransaction,
    ctx: ReadContext<z.output<z.ZodObject<Q>>>,
  ): Promise<Answer & { data: z.input<Data> }>;
}

/**
 * Declares a GET of analytics: resolves the range, reads in one snapshot under the bounds of `reads.ts`, and returns JSON or CSV with an
 * ETag (docs/analytics.md, "What is in every reply").
 */
export function analyticsRead<Q extends z.ZodRawShape, Data extends z.ZodType>(route: AnalyticsRead<Q, Data>) {
  const isRanged = route.range !== 'none';
  const isList = route.data instanceof z.ZodArray;
  const beside = { ...(isRanged && isList ? { range: rangeSchema } : {}), ...route.beside };
  const { id, path, summary, description } = route;
  return {
    of: 'environment' as const,
    id,
    method: 'GET' as const,
    path,
    summary,
    description,
    scope: 'analytics:read' as const,
    role: 'member' as const,
    request: { query: queryOf(route) },
    response: { 200: dataSchemaOf(route) },
    ...(Object.keys(beside).length > 0 ? { beside } : {}),
    ...(route.csv === undefined ? {} : { csv: true as const }),
    ...(route.paged === true ? { paginated: true as const } : {}),
    // A session names its environment by a header: a cache must not answer one with the figures of another.
    headers: { 'Cache-Control': CACHE_CONTROL, Vary: 'Accept, Authorization, Cookie, X-Environment-Id' },
    ownsItsTransaction: 'It reads one snapshot, with a time-out and a number of reads at once that are its own.',
    audited: 'none: it changes nothing' as const,
    async handler({ caller, query, deps, signal, prefersCsv }: EnvironmentHandlerContext<unknown, unknown, unknown>) {
      const { tenant } = caller;
      const readOnce = () =>
        deps.db.withEnvironment(tenant, (tx) => readIn(tx, { route, caller, query }), { isSnapshot: true });
      const { answer, completeUntil } = await inAnalyticsSlot(tenant.workspaceId, signal, readOnce);
      return prefersCsv ? csvReply(route, answer) : jsonReply(answer, completeUntil);
    },
  };
}

type Erased = AnalyticsRead<z.ZodRawShape, z.ZodType>;

function queryOf(route: Pick<Erased, 'query' | 'range' | 'paged'>): z.ZodObject {
  const { range = {} } = route;
  const ranged = typeof range === 'string' ? {} : range.interval === undefined ? rangeQuery : boundsQuery;
  return z.strictObject({ ...ranged, ...(route.paged === true ? pageQuery : {}), ...route.query });
}

/** Schema of `data` with its range, named after the route: `AnalyticsOverview`. */
function dataSchemaOf({ id, range, data }: Pick<Erased, 'id' | 'range' | 'data'>): z.ZodType {
  if (!(data instanceof z.ZodObject)) return data;
  const ranged = range === 'none' ? data : z.strictObject({ range: rangeSchema, ...data.shape });
  const name = id.split('.').map((word) => word.slice(0, 1).toUpperCase() + word.slice(1));
  return ranged.meta({ id: name.join('') });
}

interface Asked {
  route: Erased;
  caller: Caller;
  query: unknown;
}

/** The ETag excludes `completeUntil`. */
async function readIn(
  tx: EnvironmentTransaction,
  { route, caller, query }: Asked,
): Promise<{ answer: WholeAnswer; completeUntil: string }> {
  const start = await beginRead(tx);
  const range = rangeOf(route, query as RangeQuery, start);
  const { page = 1, limit = 1 } = query as { page?: number; limit?: number };
  const ctx = {
    query,
    range,
    page: { limit, offset: (page - 1) * limit },
    tenant: caller.tenant,
    now: start.now,
    caller,
  };
  const { data, beside = {}, total = 0 } = await route.read(tx, ctx as ReadContext<never>);
  const isRanged = route.range !== 'none';
  const isList = Array.isArray(data);
  const shown = isRanged ? { range: shownRange(range) } : {};
  return {
    completeUntil: (route.exact === true ? start.now : start.completeUntil).toISOString(),
    answer: {
      data: isList ? data : { ...shown, ...(data as object) },
      beside: isList ? { ...shown, ...beside } : beside,
      ...(route.paged === true ? { pagination: paginationOf(total, page, limit) } : {}),
    },
  };
}

function gridOf(range: Erased['range']): { defaultMs?: number; interval?: Interval } {
  // Moves outward to the whole month.
  if (range === 'month') return { defaultMs: 1, interval: 'month' };
  return range === undefined || range === 'none' ? {} : range;
}

interface RangeQuery {
  from?: Date;
  to?: Date;
  interval?: Interval | 'auto';
  timezone?: string;
}

/** @throws {ServiceError} VALIDATION_ERROR that names the parameter. */
function rangeOf(route: Erased, query: RangeQuery, { now, workspaceSince }: ReadStart): AnalyticsRange {
  const { defaultMs = RANGE_DEFAULT_MS, interval } = gridOf(route.range);
  const { from, to, timezone = 'UTC' } = query;
  const asked = { from, to, interval: interval ?? query.interval ?? 'auto', timezone };
  const range = resolveRange(asked, { now, workspaceSince, defaultMs });
  if (isRangeIssue(range)) throw validationError([{ path: `query.${range.name}`, message: range.message }]);
  return range;
}

interface WholeAnswer {
  data: unknown;
  beside: Readonly<Record<string, unknown>>;
  pagination?: ReturnType<typeof paginationOf>;
}

function shownRange({ from, to, interval, timezone }: AnalyticsRange) {
  return { from: from.toISOString(), to: to.toISOString(), interval, timezone };
}

function jsonReply(answer: WholeAnswer, completeUntil: string) {
  const etag = etagOf(JSON.stringify(answer));
  const { data, beside } = answer;
  const isList = Array.isArray(data);
  return {
    status: 200,
    ...answer,
    data: (isList ? data : complete(data as object, completeUntil)) as never,
    beside: isList ? complete(beside, completeUntil) : beside,
    headers: { ETag: etag },
  };
}

function complete({ range, ...members }: { range?: unknown }, completeUntil: string): Record<string, unknown> {
  return range === undefined ? { ...members } : { range: { ...(range as object), completeUntil }, ...members };
}

function csvReply({ id, path, csv }: Erased, answer: WholeAnswer) {
  if (csv === undefined) throw new Error(`the route ${id} answers no CSV`);
  const text = csvOf(csv.columns, csv.records?.(answer.data) ?? (answer.data as object[]));
  const name = `${path.slice(AREA_PATH.length).replaceAll('/', '-')}.csv`;
  const headers = { ETag: etagOf(text), 'Content-Disposition': `attachment; filename="${name}"` };
  return { status: 200, data: answer.data as never, csv: text, headers };
}
