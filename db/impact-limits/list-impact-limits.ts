import type { EnvironmentTransaction } from '../client.ts';
import { LIMIT_COLUMNS, type LimitDetail, type LimitRecord } from './records.ts';
import { withCounters } from './with-counters.ts';

export interface ListLimitsFilter {
  dimension?: string | undefined;
  includeArchived: boolean;
  limit: number;
  offset: number;
}

/** One page of limits, newest first, with their current counters and the total count. */
export async function listImpactLimits(
  tx: EnvironmentTransaction,
  filter: ListLimitsFilter,
  now: Date = new Date(),
): Promise<{ items: LimitDetail[]; total: number }> {
  const where = `l.environment_id = current_environment_id() AND (:includeArchived OR l.archived_at IS NULL)
    AND (CAST(:dimension AS text) IS NULL OR l.dimension = :dimension)`;
  const bindings = { ...filter, dimension: filter.dimension ?? null };
  const counted = await tx.raw<{ rows: { total: number }[] }>(
    `SELECT count(*)::int AS total FROM impact_limits l WHERE ${where}`,
    bindings,
  );
  const { rows } = await tx.raw<{ rows: LimitRecord[] }>(
    `SELECT ${LIMIT_COLUMNS} FROM impact_limits l WHERE ${where} ORDER BY l.created_at DESC, l.id DESC LIMIT :limit OFFSET :offset`,
    bindings,
  );
  return { total: counted.rows[0]?.total ?? 0, items: await withCounters(tx, rows, now) };
}
