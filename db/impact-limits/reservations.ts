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
import type { Refusal } from '../../domain/refusals.ts';
import type { EnvironmentTransaction } from '../client.ts';
import type { ReservationRecord } from './records.ts';
import { findLiveLimits, type LiveLimit } from './allowances.ts';

/** The reservations of several effects, ordered by effect and limit. */
export async function listReservations(
  tx: EnvironmentTransaction,
  effectIds: readonly string[],
): Promise<ReservationRecord[]> {
  return tx.rows<ReservationRecord>(
    'list_reservations',
    `SELECT r.id, r.effect_id AS "effectId", r.limit_id AS "limitId", l.name, l.dimension, l.currency, r.period,
       CAST(r.amount AS float8) AS amount, r.state, r.exposure, CAST(r.settled AS float8) AS settled,
       CAST(r.released AS float8) AS released, r.created_at AS "createdAt", COALESCE(r.reversed_at, r.finished_at) AS "finishedAt"
     FROM impact_reservations r JOIN impact_limits l ON l.id = r.limit_id
     WHERE r.effect_id = ANY(?) ORDER BY r.effect_id, r.limit_id`,
    [effectIds],
  );
}

export interface ReservingEffect extends ImpactFacts {
  effectId: string;
}

/**
 * Reserves an effect's declared impact against every limit that applies: all of it, or nothing with the refusal. It belongs to
 * the transaction that writes the fence and has locked the effect's invocation, so the reservation commits if and only if the
 * fence does.
 *
 * It takes no round trip where no impact is declared, one where no limit applies, and two otherwise. Counters are locked in the
 * order of their limits' ids and stay locked until the commit, so call it late in the transaction.
 */
export async function reserveImpact(
  tx: EnvironmentTransaction,
  effect: ReservingEffect,
  now: Date,
): Promise<Refusal | null> {
  const impact = effect.impact.filter(({ amount }) => amount > 0);
  const { demands, otherCurrency } = demandsOn(await findLiveLimits(tx, effect), effect);
  if (otherCurrency[0]) return currencyMismatch(otherCurrency[0], impact);
  if (demands.length === 0) return null;
  const [short, ...more] = await reserveAll(tx, effect.effectId, demands, now);
  return short === undefined ? null : limitExceeded([short, ...more]);
}

/** The limit that lacks allowance; nothing is reserved then. */
async function reserveAll(
  tx: EnvironmentTransaction,
  effectId: string,
  demands: readonly Demand<LiveLimit>[],
  now: Date,
): Promise<ShortLimit[]> {
  const { keys, limitIds, wanted } = wantedOf(effectId, demands, now);
  const open = (): Promise<unknown> => openPeriods(tx, limitIds, keys);
  const reserve = async (): Promise<ReservedRow> => {
    const rows = await tx.rows<ReservedRow>('reserve_all_2', RESERVE, {
      effectId,
      wanted,
      count: demands.length,
    });
    if (rows[0] === undefined) throw new Error('a reservation answered nothing');
    return rows[0];
  };
  // Separate statements: one statement cannot see the rows that others committed while it waited for them.
  const isNewEachTime = demands.some(({ limit }) => limit.period === 'per_effect');
  let [, reserved] = await tx.inOrder(isNewEachTime ? open : null, reserve);
  if (reserved.found < demands.length) [, reserved] = await tx.inOrder(open, reserve);
  if (reserved.found < demands.length) throw new Error('a period was opened and is gone');
  return (reserved.short ?? []).map(({ limitId, cap, available }) => {
    const at = limitIds.indexOf(limitId);
    const demand = demands[at];
    if (demand === undefined) throw new Error(`limit ${limitId} is short and was not asked for`);
    const { limit, amount } = demand;
    const [inPeriod, resetsAt] = [keys[at] ?? limit.period, periodEnd(limit, now)];
    return { ...limit, cap, available, requested: amount, inPeriod, resetsAt };
  });
}

/** The reservations that an effect needs, as the statements take them. */
function wantedOf(effectId: string, demands: readonly Demand<LiveLimit>[], now: Date) {
  const keys = demands.map(({ limit }) => periodKey(limit, now, effectId));
  const wanted = demands.map(({ limit, amount }, at) => ({
    id: newId('reservation'),
    limit_id: limit.id,
    period: keys[at],
    amount,
  }));
  return { keys, limitIds: demands.map(({ limit }) => limit.id), wanted: JSON.stringify(wanted) };
}

/**
 * Reserves all of it in the packet that commits, so that the counters are locked for one round trip. It refuses (`refuse`) where a
 * limit lacks room, and where the period of a limit begins: then nothing is reserved, and `reserveImpact` says why or begins it.
 */
export async function reserveOrRefuse(
  tx: EnvironmentTransaction,
  effectId: string,
  demands: readonly Demand<LiveLimit>[],
  now: Date,
): Promise<void> {
  if (demands.length === 0) return;
  const { keys, limitIds, wanted } = wantedOf(effectId, demands, now);
  const isNewEachTime = demands.some(({ limit }) => limit.period === 'per_effect');
  await tx.inOrder(isNewEachTime ? () => openPeriods(tx, limitIds, keys) : null, () =>
    tx.raw('reserve_or_refuse', RESERVE_OR_REFUSE, { effectId, wanted, count: demands.length }),
  );
}

interface ReservedRow {
  /** The number of the periods that exist. Where one does not, nothing was reserved. */
  found: number;
  short: { limitId: string; cap: number; available: number }[] | null;
}

/** The first reservation of a period creates it. */
async function openPeriods(tx: EnvironmentTransaction, limitIds: string[], keys: string[]): Promise<void> {
  await tx.raw('open_periods', OPEN_PERIODS, { limitIds, keys });
}

const OPEN_PERIODS = `
  INSERT INTO impact_limit_periods (limit_id, period, environment_id)
  SELECT w.limit_id, w.period, current_environment_id()
  FROM unnest(CAST(:limitIds AS text[]), CAST(:keys AS text[])) AS w (limit_id, period) ORDER BY w.limit_id COLLATE "C"
  ON CONFLICT DO NOTHING`;

/**
 * Nothing is locked where a period does not exist yet. The transaction that creates it may have to wait for another that creates
 * it, and that one must not wait for a counter that is locked here. Periods are never deleted.
 *
 * LATERAL makes PostgreSQL find each counter by its key and lock it in this order, whatever its statistics say. Each limit is
 * locked after its counter: a change of the cap waits, and the newest cap counts. The trigger of the inserted reservations moves
 * the counters. A limit that was archived meanwhile counts no longer.
 *
 * The arguments are a record set because the planner assumes a fixed number of rows for one and keeps its plan. For arrays it
 * looks at their length and planned anew for every reservation, which took as long as the reservation itself.
 */
const RESERVING = `
  WITH wanted AS (
    SELECT * FROM jsonb_to_recordset(CAST(:wanted AS jsonb)) AS w (id text, limit_id text, period text, amount bigint)
    ORDER BY w.limit_id COLLATE "C"),
  counted AS MATERIALIZED (
    SELECT count(*) AS found FROM wanted w JOIN impact_limit_periods c ON c.limit_id = w.limit_id AND c.period = w.period),
  locked AS MATERIALIZED (
    SELECT w.id, w.limit_id, w.period, w.amount, p.used, l.cap, l.archived_at FROM wanted w
      CROSS JOIN LATERAL (SELECT c.limit_id, c.reserved + c.settled AS used FROM impact_limit_periods c
                          WHERE c.limit_id = w.limit_id AND c.period = w.period FOR NO KEY UPDATE) p
      CROSS JOIN LATERAL (SELECT i.cap, i.archived_at FROM impact_limits i WHERE i.id = p.limit_id FOR SHARE) l
    WHERE (SELECT found FROM counted) = CAST(:count AS int)),
  short AS (SELECT * FROM locked WHERE archived_at IS NULL AND used + amount > cap),
  reserved AS (
    INSERT INTO impact_reservations (id, environment_id, effect_id, limit_id, period, amount)
    SELECT id, current_environment_id(), :effectId, limit_id, period, amount FROM locked
    WHERE archived_at IS NULL AND NOT EXISTS (SELECT FROM short)),
  refused AS (
    INSERT INTO impact_limit_crossings (limit_id, period, environment_id, used, requested, cap)
    SELECT limit_id, period, current_environment_id(), used, amount, cap FROM short ON CONFLICT DO NOTHING)`;
const RESERVE = `${RESERVING}
  SELECT CAST(c.found AS int) AS found, (SELECT jsonb_agg(jsonb_build_object('limitId', s.limit_id, 'cap', s.cap,
    'available', GREATEST(s.cap - s.used, 0)) ORDER BY s.limit_id COLLATE "C") FROM short s) AS short
  FROM counted c`;
const RESERVE_OR_REFUSE = `${RESERVING}
  SELECT refuse('{}') FROM counted c WHERE c.found < CAST(:count AS int) OR EXISTS (SELECT FROM short)`;
