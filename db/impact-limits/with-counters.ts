import { currentPeriod, periodEnd } from '../../domain/impact-limits/period.ts';
import type { EnvironmentTransaction } from '../client.ts';
import type { CrossingRecord, LimitDetail, LimitRecord } from './records.ts';

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
export async function withCounters(
  tx: EnvironmentTransaction,
  limits: readonly LimitRecord[],
  now: Date,
): Promise<LimitDetail[]> {
  const keys = limits.map((limit) => currentPeriod(limit, now));
  const { rows } = await tx.raw<{ rows: CountedRow[] }>(COUNTED, {
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
