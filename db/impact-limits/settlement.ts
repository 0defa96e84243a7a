import type { ActionDefinition, ImpactQuantity } from '../../domain/actions.ts';
import type { ProviderResponse } from '../../domain/adapters/adapter-descriptor.ts';
import { ADAPTER_DESCRIPTORS, findDescriptor } from '../../domain/adapters/index.ts';
import { observedImpact } from '../../domain/impact-limits/observe.ts';
import type { SettledImpact } from '../../domain/impact.ts';
import type { Exposure, ReservationState } from '../../domain/impact-limits/limits.ts';
import { requiredState, settledAmount } from '../../domain/impact-limits/settle.ts';
import type { Outcome, PartialEffect, Stage } from '../../domain/lifecycle.ts';
import type { EnvironmentTransaction } from '../client.ts';

const REPORTING_ADAPTERS = [
  ...new Set(ADAPTER_DESCRIPTORS.flatMap(({ type, observedImpact: reports }) => (reports === undefined ? [] : [type]))),
];

/**
 * What the accepting response says the effect used. Null where neither the action nor its adapter observes anything, or where
 * no response accepted it: an effect that a read-back found is settled in full. A response can hold megabytes, so it is read
 * only where an upper bound may come down by it.
 */
async function readObservedImpact(tx: EnvironmentTransaction, effectId: string): Promise<SettledImpact | null> {
  const row = await tx.row<{
    definition: ActionDefinition;
    impact: ImpactQuantity[];
    response: ProviderResponse | null;
  }>(
    'read_observed_impact',
    `SELECT v.definition, e.impact, (
         SELECT COALESCE(l.response, a.response) FROM attempts a LEFT JOIN late_answers l ON l.attempt_id = a.id
         WHERE a.invocation_id = e.invocation_id AND a.kind IN ('dispatch', 'replay')
           AND CASE WHEN l.attempt_id IS NULL THEN a.observed_outcome ELSE l.observed_outcome END = 'succeeded'
         ORDER BY a.number DESC LIMIT 1) AS response
     FROM effects e JOIN action_versions v ON v.id = e.version_id
     WHERE e.id = ? AND e.impact @> '[{"bound": "upper_bound"}]'
       AND (jsonb_path_exists(v.definition, '$.impact[*].observed') OR v.definition #>> '{adapter,type}' = ANY(?))`,
    [effectId, REPORTING_ADAPTERS],
  );
  if (row === null) return null;
  const { definition, impact, response } = row;
  const descriptor = findDescriptor(definition.adapter.type, definition.adapter.version);
  const reported = response === null ? null : (descriptor?.observedImpact?.(definition, response) ?? null);
  return observedImpact({ declarations: definition.impact, reported }, impact, response);
}

export interface HowSettled {
  /** The amount that was used, as a resolution says; null where it does not say. Omitted: the provider's response decides. */
  settledImpact?: SettledImpact | null;
}

/**
 * Moves the reservations of an effect to the state that its row requires, in the transaction that changed the row: held while the
 * outcome is unknown, settled by success, released by proof that nothing happened, given back by a late reversal. Idempotent. The
 * database refuses to commit a change of an effect without it.
 */
export async function settleReservations(
  tx: EnvironmentTransaction,
  effectId: string,
  how: HowSettled = {},
): Promise<void> {
  await settleLocked(tx, await unreleased(tx, `${UNRELEASED} WHERE e.id = ? ${LOCKED}`, effectId), how);
}

/** The same for the effect of an invocation, where there is one. */
export async function settleReservationsOf(
  tx: EnvironmentTransaction,
  invocationId: string,
  how: HowSettled = {},
): Promise<void> {
  await settleLocked(tx, await lockReservationsOf(tx, invocationId), how);
}

/** The first half of it: one statement. */
export async function lockReservationsOf(
  tx: EnvironmentTransaction,
  invocationId: string,
): Promise<LockedReservation[]> {
  return unreleased(tx, `${UNRELEASED} WHERE e.invocation_id = ? ${LOCKED}`, invocationId);
}

export interface LockedReservation {
  id: string;
  effectId: string;
  limitId: string;
  period: string;
  amount: number;
  state: ReservationState;
  exposure: Exposure | null;
  dimension: string;
  currency: string | null;
  stage: Stage;
  outcome: Outcome;
  partialEffect: PartialEffect;
}

const UNRELEASED = `
  SELECT r.id, r.effect_id AS "effectId", r.limit_id AS "limitId", r.period, CAST(r.amount AS float8) AS amount, r.state, r.exposure, l.dimension, l.currency,
    e.stage, e.outcome, e.partial_effect AS "partialEffect"
  FROM effects e JOIN impact_reservations r ON r.effect_id = e.id AND r.state <> 'released' JOIN impact_limits l ON l.id = r.limit_id`;
const LOCKED = 'ORDER BY r.limit_id FOR NO KEY UPDATE OF e, r';

async function unreleased(tx: EnvironmentTransaction, sql: string, id: string): Promise<LockedReservation[]> {
  return tx.rows<LockedReservation>({ variantsOf: 'impact_limits_unreleased' }, sql, [id]);
}

export async function settleLocked(
  tx: EnvironmentTransaction,
  rows: readonly LockedReservation[],
  how: HowSettled = {},
): Promise<void> {
  const [first] = rows;
  const required = first && requiredState(first);
  if (!required) return;
  const moving = rows.filter(({ state }) => state !== required.state);
  const staying = rows.filter(({ state, exposure }) => state === required.state && exposure !== required.exposure);
  if (staying.length > 0) {
    const ids = staying.map(({ id }) => id);
    await tx.raw('settle_locked', 'UPDATE impact_reservations SET exposure = ? WHERE id = ANY(?)', [
      required.exposure,
      ids,
    ]);
  }
  if (moving.length === 0) return;
  const settledImpact = required.state === 'settled' ? await settledImpactOf(tx, moving, how) : null;
  await tx.raw('settle_locked_2', MOVE, {
    ...required,
    moving: JSON.stringify(
      moving.map((row) => ({
        id: row.id,
        limit_id: row.limitId,
        period: row.period,
        settled: required.state === 'settled' ? settledAmount(row, settledImpact) : 0,
      })),
    ),
  });
}

async function settledImpactOf(
  tx: EnvironmentTransaction,
  [first]: readonly LockedReservation[],
  { settledImpact }: HowSettled,
): Promise<SettledImpact | null> {
  if (settledImpact !== undefined || first === undefined) return settledImpact ?? null;
  return readObservedImpact(tx, first.effectId);
}

/**
 * Settles all that an effect has reserved, or releases all of it where it failed without an effect: for an impact that is exact.
 * The counters are locked in the order of their limits' ids, as in `MOVE`.
 */
export async function settleInFull(
  tx: EnvironmentTransaction,
  effectId: string,
  outcome: 'succeeded' | 'failed',
): Promise<void> {
  await tx.raw('settle_in_full', SETTLE_IN_FULL, { effectId, state: outcome === 'succeeded' ? 'settled' : 'released' });
}

const SETTLE_IN_FULL = `
  WITH moving AS (
    SELECT r.id, r.limit_id, r.period, r.amount FROM impact_reservations r
    WHERE r.effect_id = :effectId AND r.state = 'reserved' ORDER BY r.limit_id COLLATE "C"),
  locked AS MATERIALIZED (
    SELECT m.id, CASE WHEN :state = 'settled' THEN m.amount ELSE 0 END AS settled FROM moving m
      CROSS JOIN LATERAL (SELECT FROM impact_limit_periods c
                          WHERE c.limit_id = m.limit_id AND c.period = m.period FOR NO KEY UPDATE) p)
  UPDATE impact_reservations r SET state = :state, exposure = NULL, settled = m.settled, released = r.amount - m.settled, finished_at = now()
  FROM locked m WHERE r.id = m.id`;

/** Locks the counters in the order of their limits' ids, from a record set as in `reserveImpact`. The trigger then moves them. */
const MOVE = `
  WITH moving AS (
    SELECT * FROM jsonb_to_recordset(CAST(:moving AS jsonb)) AS m (id text, limit_id text, period text, settled bigint)
    ORDER BY m.limit_id COLLATE "C"),
  locked AS MATERIALIZED (
    SELECT m.id, m.settled FROM moving m
      CROSS JOIN LATERAL (SELECT FROM impact_limit_periods c
                          WHERE c.limit_id = m.limit_id AND c.period = m.period FOR NO KEY UPDATE) p)
  UPDATE impact_reservations r SET state = :state, exposure = :exposure, settled = m.settled, released = r.amount - m.settled,
    finished_at = COALESCE(r.finished_at, now()), reversed_at = CASE WHEN r.state = 'settled' THEN now() END
  FROM locked m WHERE r.id = m.id`;
