import { currentPeriod, periodEnd } from '../../domain/impact-limits/period.ts';
import { ServiceError } from '../../domain/errors.ts';
import { newId } from '../../domain/ids.ts';
import { LIVE_LIMITS_MAX } from '../../domain/impact-limits/limits.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { type Page, pageOf, type Range } from '../page.ts';
import { nameTaken } from '../names.ts';
import { type CrossingRecord, LIMIT_COLUMNS, type LimitDetail, type LimitRecord } from './records.ts';

const CROSSINGS_SHOWN_MAX = 20;

interface CountedRow {
  limitId: string;
  reserved: number;
  settled: number;
  unknown: number;
  pending: number;
  crossings: (Omit<CrossingRecord, 'crossedAt'> & { crossedAt: string })[] | null;
}

/** Adds the current counters to these limits in one statement. Each limit has its own time zone and period. */
async function withCounters(
  tx: EnvironmentTransaction,
  limits: readonly LimitRecord[],
  now: Date,
): Promise<LimitDetail[]> {
  const keys = limits.map((limit) => currentPeriod(limit, now));
  const rows = await tx.rows<CountedRow>('with_counters', COUNTED, {
    limitIds: limits.map(({ id }) => id),
    keys,
    most: CROSSINGS_SHOWN_MAX,
  });
  const counted = new Map(rows.map((row) => [row.limitId, row]));
  return limits.map((limit, at) => {
    const row = counted.get(limit.id);
    const [reserved, settled] = [row?.reserved ?? 0, row?.settled ?? 0];
    return {
      ...limit,
      currentPeriod: keys[at] ?? null,
      resetsAt: periodEnd(limit, now),
      reserved,
      settled,
      available: Math.max(0, limit.cap - reserved - settled),
      exposures: { unknown: row?.unknown ?? 0, pending: row?.pending ?? 0 },
      crossings: (row?.crossings ?? []).map((crossing) => ({ ...crossing, crossedAt: new Date(crossing.crossedAt) })),
    };
  });
}

const COUNTED = `
  SELECT w.limit_id AS "limitId", CAST(p.reserved AS float8) AS reserved, CAST(p.settled AS float8) AS settled,
    CAST(x.unknown AS float8) AS unknown, CAST(x.pending AS float8) AS pending, c.crossings
  FROM unnest(CAST(:limitIds AS text[]), CAST(:keys AS text[])) AS w (limit_id, period)
    LEFT JOIN impact_limit_periods p ON p.limit_id = w.limit_id AND p.period = w.period
    CROSS JOIN LATERAL (
      SELECT COALESCE(sum(r.amount) FILTER (WHERE r.exposure = 'unknown'), 0) AS unknown,
        COALESCE(sum(r.amount) FILTER (WHERE r.exposure = 'pending'), 0) AS pending
      FROM impact_reservations r WHERE r.limit_id = w.limit_id AND r.exposure IN ('unknown', 'pending')) x
    CROSS JOIN LATERAL (
      SELECT jsonb_agg(jsonb_build_object('period', n.period, 'threshold', n.threshold, 'used', n.used, 'requested', n.requested,
        'cap', n.cap, 'crossedAt', n.crossed_at)) AS crossings
      FROM (
        SELECT * FROM (
          SELECT * FROM impact_limit_crossings k WHERE k.limit_id = w.limit_id AND k.period = w.period
          UNION ALL (SELECT * FROM impact_limit_crossings k WHERE w.period IS NULL AND k.limit_id = w.limit_id
                     ORDER BY k.crossed_at DESC LIMIT :most)) either
        ORDER BY crossed_at DESC, threshold DESC NULLS FIRST LIMIT :most) n) c`;

export async function getImpactLimit(
  tx: EnvironmentTransaction,
  id: string,
  now: Date = new Date(),
): Promise<LimitDetail | null> {
  const rows = await tx.rows<LimitRecord>(
    'get_impact_limit',
    `SELECT ${LIMIT_COLUMNS} FROM impact_limits l WHERE l.id = ?`,
    [id],
  );
  return rows[0] ? ((await withCounters(tx, [rows[0]], now))[0] ?? null) : null;
}

export interface ListLimitsFilter extends Range {
  dimension?: string | undefined;
  includeArchived: boolean;
}

/** One page of limits, newest first, with their current counters and the total count. */
export async function listImpactLimits(
  tx: EnvironmentTransaction,
  filter: ListLimitsFilter,
  now: Date = new Date(),
): Promise<Page<LimitDetail>> {
  const { items, total } = await pageOf<LimitRecord>(tx, {
    name: 'list_impact_limits',
    columns: LIMIT_COLUMNS,
    from: 'impact_limits l',
    where: 'l.environment_id = current_environment_id() AND (:includeArchived OR l.archived_at IS NULL)',
    filters: { dimension: 'l.dimension = :dimension' },
    order: 'l.created_at DESC, l.id DESC',
    asked: filter,
  });
  return { items: await withCounters(tx, items, now), total };
}

/** Locks a limit until the transaction ends; reservations against it wait. Null where there is none. */
export async function lockImpactLimit(tx: EnvironmentTransaction, id: string): Promise<LimitRecord | null> {
  return tx.row<LimitRecord>(
    'lock_impact_limit',
    `SELECT ${LIMIT_COLUMNS} FROM impact_limits l WHERE l.id = ? FOR NO KEY UPDATE`,
    [id],
  );
}

export type NewLimit = Omit<LimitRecord, 'id' | 'createdAt' | 'updatedAt' | 'archivedAt'>;

/** Creates a limit and returns its id. Throws CONFLICT where a live limit has the name, QUOTA_EXCEEDED where there are too many. */
export async function createImpactLimit(tx: EnvironmentTransaction, limit: NewLimit): Promise<string> {
  // Serialized: two requests that counted at the same time would both miss the other's limit.
  await tx.raw(
    'create_impact_limit',
    "SELECT pg_advisory_xact_lock(hashtextextended('impact-limits/' || current_environment_id(), 0))",
  );
  const row = await tx.row<{ live: number }>(
    'create_impact_limit_2',
    'SELECT count(*)::int AS live FROM impact_limits WHERE environment_id = current_environment_id() AND archived_at IS NULL',
  );
  if ((row?.live ?? 0) >= LIVE_LIMITS_MAX) {
    throw new ServiceError('QUOTA_EXCEEDED', {
      message: `An environment has at most ${LIVE_LIMITS_MAX} impact limits that are not archived. Archive one that is no longer needed.`,
    });
  }
  const id = newId('impactLimit');
  await tx
    .raw(
      'create_impact_limit_3',
      `INSERT INTO impact_limits (id, environment_id, name, dimension, currency, cap, period, timezone, scope, thresholds)
       VALUES (:id, current_environment_id(), :name, :dimension, :currency, :cap, :period, :timezone, :scope, :thresholds)`,
      { ...limit, id, scope: JSON.stringify(limit.scope) },
    )
    .catch(nameTaken('impact_limits_live_name', limit.name));
  return id;
}

export type LimitChange = Pick<LimitRecord, 'name' | 'cap' | 'thresholds'>;

/**
 * Changes a limit that the same transaction has locked. A cap may be below what is used; nothing more can be reserved then.
 * Throws CONFLICT where another live limit has the name.
 */
export async function updateImpactLimit(tx: EnvironmentTransaction, id: string, change: LimitChange): Promise<void> {
  await tx
    .raw(
      'update_impact_limit',
      'UPDATE impact_limits SET name = :name, cap = :cap, thresholds = :thresholds, updated_at = now() WHERE id = :id',
      { id, name: change.name, cap: change.cap, thresholds: change.thresholds },
    )
    .catch(nameTaken('impact_limits_live_name', change.name));
}

/**
 * Archives a limit: it counts nothing new, and its name is free. Its open reservations are settled as usual. The caller has
 * locked the limit, which must be live.
 */
export async function archiveImpactLimit(tx: EnvironmentTransaction, id: string): Promise<void> {
  await tx.raw(
    'archive_impact_limit',
    'UPDATE impact_limits SET archived_at = now(), updated_at = now() WHERE id = ?',
    [id],
  );
}
