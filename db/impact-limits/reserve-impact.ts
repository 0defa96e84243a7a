import { newId } from '../../domain/ids.ts';
import {
  currencyMismatch,
  type Demand,
  demandsOn,
  type ImpactFacts,
  limitExceeded,
  type ShortLimit,
} from '../../domain/impact-limits/demand.ts';
import { periodEnd, periodKey } from '../../domain/impact-limits/period.ts';
import type { Refusal } from '../../domain/lifecycle.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { findLiveLimits, type LiveLimit } from './find-live-limits.ts';

export interface ReservingEffect extends ImpactFacts {
  effectId: string;
}

/**
 * Reserves what an effect declares against every limit that applies: all of it, or nothing and the refusal. For the
 * transaction that marks the dispatch, which locks the effect's invocation first: the reservation stands if the fence does.
 *
 * No round trip where nothing is declared, one where no limit applies, two otherwise. The counters are locked in the order
 * of their limits' ids, and stay locked until the transaction ends: call it late in it.
 */
export async function reserveImpact(
  tx: EnvironmentTransaction,
  effect: ReservingEffect,
  now: Date,
): Promise<Refusal | null> {
  const impact = effect.impact.filter(({ amount }) => amount > 0);
  const { demands, otherCurrency } = demandsOn(await findLiveLimits(tx, impact), effect);
  if (otherCurrency[0]) return currencyMismatch(otherCurrency[0], impact);
  if (demands.length === 0) return null;
  const [short, ...more] = await reserveAll(tx, effect.effectId, demands, now);
  return short === undefined ? null : limitExceeded([short, ...more]);
}

/** What is short of it; nothing is reserved then. */
async function reserveAll(
  tx: EnvironmentTransaction,
  effectId: string,
  demands: readonly Demand<LiveLimit>[],
  now: Date,
): Promise<ShortLimit[]> {
  const keys = demands.map(({ limit }) => periodKey(limit, now, effectId));
  const limitIds = demands.map(({ limit }) => limit.id);
  // Sent together. Two statements, because a statement does not see the rows that others made while it waited for them.
  const [, { rows }] = await Promise.all([
    tx.raw(OPEN_PERIODS, { limitIds, keys }),
    tx.raw<{ rows: ShortRow[] }>(RESERVE, {
      effectId,
      ids: demands.map(() => newId('reservation')),
      limitIds,
      keys,
      amounts: demands.map(({ amount }) => amount),
    }),
  ]);
  return rows.map(({ limitId, cap, available }) => {
    const at = limitIds.indexOf(limitId);
    const demand = demands[at];
    if (demand === undefined) throw new Error(`limit ${limitId} is short and was not asked for`);
    const { limit, amount } = demand;
    const [inPeriod, resetsAt] = [keys[at] ?? limit.period, periodEnd(limit, now)];
    return { ...limit, cap, available, requested: amount, inPeriod, resetsAt };
  });
}

interface ShortRow {
  limitId: string;
  cap: number;
  available: number;
}

const OPEN_PERIODS = `
  INSERT INTO impact_limit_periods (limit_id, period, environment_id)
  SELECT w.limit_id, w.period, current_environment_id()
  FROM unnest(CAST(:limitIds AS text[]), CAST(:keys AS text[])) AS w (limit_id, period) ORDER BY w.limit_id COLLATE "C"
  ON CONFLICT DO NOTHING`;

/**
 * LATERAL, so that each counter is found by its key and locked in this order, whatever the planner knows of the table. Each
 * limit is locked after its counter: a change of the cap waits, and its newest value is the one that counts. The insert moves
 * the counters, by its trigger. A limit that was archived a moment ago no longer counts.
 */
const RESERVE = `
  WITH wanted AS (
    SELECT * FROM unnest(CAST(:ids AS text[]), CAST(:limitIds AS text[]), CAST(:keys AS text[]), CAST(:amounts AS bigint[]))
      AS w (id, limit_id, period, amount) ORDER BY w.limit_id COLLATE "C"),
  locked AS MATERIALIZED (
    SELECT w.id, w.limit_id, w.period, w.amount, p.used, l.cap FROM wanted w
      CROSS JOIN LATERAL (SELECT c.limit_id, c.reserved + c.settled AS used FROM impact_limit_periods c
                          WHERE c.limit_id = w.limit_id AND c.period = w.period FOR NO KEY UPDATE) p
      CROSS JOIN LATERAL (SELECT i.cap, i.archived_at FROM impact_limits i WHERE i.id = p.limit_id FOR SHARE) l
    WHERE l.archived_at IS NULL),
  short AS (SELECT * FROM locked WHERE used + amount > cap),
  reserved AS (
    INSERT INTO impact_reservations (id, environment_id, effect_id, limit_id, period, amount)
    SELECT id, current_environment_id(), :effectId, limit_id, period, amount FROM locked WHERE NOT EXISTS (SELECT FROM short)),
  refused AS (
    INSERT INTO impact_limit_crossings (limit_id, period, environment_id, used, requested, cap)
    SELECT limit_id, period, current_environment_id(), used, amount, cap FROM short ON CONFLICT DO NOTHING)
  SELECT limit_id AS "limitId", CAST(cap AS float8) AS cap, CAST(GREATEST(cap - used, 0) AS float8) AS available
  FROM short ORDER BY limit_id COLLATE "C"`;
