import {
  currencyMismatch,
  demandsOn,
  type ImpactFacts,
  limitExceeded,
  type NamedLimit,
} from '../../domain/impact-limits/demand.ts';
import { unitOf } from '../../domain/impact-limits/limits.ts';
import { currentPeriod, periodEnd } from '../../domain/impact-limits/period.ts';
import type { Refusal, RefusalCode } from '../../domain/refusals.ts';
import type { EnvironmentTransaction } from '../client.ts';

export interface LiveLimit extends NamedLimit {
  cap: number;
}

/**
 * The live limits that may apply to these facts, in id order, which is the lock order. Limits that differ only by a name are
 * filtered here, so that an environment with many limits of agents or keys returns few of them. `appliesTo` decides.
 */
export async function findLiveLimits(tx: EnvironmentTransaction, facts: ImpactFacts): Promise<LiveLimit[]> {
  const dimensions = [...new Set(facts.impact.flatMap(({ dimension, amount }) => (amount > 0 ? [dimension] : [])))];
  if (dimensions.length === 0) return [];
  return tx.rows<LiveLimit>(
    'find_live_limits',
    `SELECT id, name, dimension, currency, CAST(cap AS float8) AS cap, period, timezone, scope FROM impact_limits
     WHERE environment_id = current_environment_id() AND archived_at IS NULL AND dimension = ANY(:dimensions)
       AND (NOT jsonb_exists(scope, 'agentIds') OR jsonb_exists(scope -> 'agentIds', :agentId))
       AND (NOT jsonb_exists(scope, 'apiKeys') OR jsonb_exists(scope -> 'apiKeys', :apiKeyId))
     ORDER BY id`,
    { dimensions, agentId: facts.agentId, apiKeyId: facts.apiKeyId },
  );
}

/** What a limit would allow an effect now. The dispatch checks again, under the limit's lock. */
export interface Allowance {
  limitId: string;
  name: string;
  dimension: string;
  currency: string | null;
  unit: string;
  cap: number;
  /** The key of the period, or `per_effect`. */
  period: string;
  available: number;
  requested: number;
  sufficient: boolean;
  /** The reason for which a dispatch would be refused now; null where the allowance is sufficient. */
  refusal: Extract<RefusalCode, 'impact_limit_exceeded' | 'currency_mismatch'> | null;
}

export interface LimitsNow {
  /** Every limit that applies, and every limit that would refuse the currency, in the order of their ids. */
  allowances: Allowance[];
  /** Why a reservation would be refused now, as `reserveImpact` says it; null where it would not. */
  refusal: Refusal | null;
}

/** What the impact limits would allow now. Nothing is reserved or locked. */
export async function readLimits(tx: EnvironmentTransaction, facts: ImpactFacts, now: Date): Promise<LimitsNow> {
  const limits = await findLiveLimits(tx, facts);
  const { demands, otherCurrency } = demandsOn(limits, facts);
  if (demands.length === 0 && otherCurrency.length === 0) return { allowances: [], refusal: null };
  const mismatched = new Set(otherCurrency);
  const requested = new Map(demands.map(({ limit, amount }) => [limit, amount]));
  const applying = limits.filter((limit) => requested.has(limit) || mismatched.has(limit));
  const used = await usedNow(tx, applying, now);
  const availableOf = (limit: LiveLimit): number => Math.max(0, limit.cap - (used.get(limit.id) ?? 0));
  const [short, ...more] = demands
    .filter(({ limit, amount }) => amount > availableOf(limit))
    .map(({ limit, amount }) => ({
      ...limit,
      available: availableOf(limit),
      requested: amount,
      inPeriod: currentPeriod(limit, now) ?? limit.period,
      resetsAt: periodEnd(limit, now),
    }));
  return {
    allowances: applying.map((limit) =>
      allowance(limit, now, availableOf(limit), requested.get(limit) ?? 0, mismatched.has(limit)),
    ),
    refusal: otherCurrency[0]
      ? currencyMismatch(
          otherCurrency[0],
          facts.impact.filter(({ amount }) => amount > 0),
        )
      : short === undefined
        ? null
        : limitExceeded([short, ...more]),
  };
}

function allowance(
  limit: LiveLimit,
  now: Date,
  available: number,
  requested: number,
  isMismatched: boolean,
): Allowance {
  const refusal = isMismatched ? 'currency_mismatch' : requested > available ? 'impact_limit_exceeded' : null;
  const { id: limitId, name, dimension, currency, cap } = limit;
  const period = currentPeriod(limit, now) ?? 'per_effect';
  const sufficient = refusal === null;
  return {
    limitId,
    name,
    dimension,
    currency,
    unit: unitOf(limit),
    cap,
    period,
    available,
    // An amount beyond the exact integers is beyond every cap too.
    requested: Math.min(requested, Number.MAX_SAFE_INTEGER),
    sufficient,
    refusal,
  };
}

async function usedNow(
  tx: EnvironmentTransaction,
  limits: readonly LiveLimit[],
  now: Date,
): Promise<ReadonlyMap<string, number>> {
  const rows = await tx.rows<{ limitId: string; used: number }>(
    'used_now',
    `SELECT p.limit_id AS "limitId", CAST(p.reserved + p.settled AS float8) AS used
     FROM unnest(CAST(:limitIds AS text[]), CAST(:keys AS text[])) AS w (limit_id, period)
       JOIN impact_limit_periods p ON p.limit_id = w.limit_id AND p.period = w.period`,
    { limitIds: limits.map(({ id }) => id), keys: limits.map((limit) => currentPeriod(limit, now) ?? '') },
  );
  return new Map(rows.map(({ limitId, used }) => [limitId, used]));
}
