import { decimalOf, divideDown, secondsBetween, wholeNumber } from './exact.ts';
import { isCharged, linesOf, type LineDraft, sumOfLines } from './invoice-lines.ts';
import type { CountedMeter, MonthFacts } from './month-facts.ts';
import { periodOf } from './periods.ts';
import type { PriceList } from './price-list.ts';

/** Before this there is too little to go by, and no projection is made. */
const PROJECTED_AFTER_SECONDS = 24n * 3_600n;
/** A projection from fewer days than a week has them all does not know weekends. */
const NORMAL_AFTER_SECONDS = 7n * 24n * 3_600n;

export const ESTIMATE_EXCLUDES = ['tax', 'provider_bills', 'credits'] as const;

export interface Projection {
  /** Minor units. */
  subtotal: number;
  method: 'linear_by_elapsed_seconds';
  /** `low` in the first seven days. */
  confidence: 'low' | 'normal';
  /** The share of the month that has passed, from 0 to 1. */
  elapsedShare: number;
}

export interface Estimate {
  lines: LineDraft[];
  /** Minor units. */
  subtotal: number;
  /** Null in the first 24 hours of the month or of the workspace. */
  projected: Projection | null;
  /** Why there are no lines; null where there may be some. */
  reason: 'plan_has_no_charges' | null;
}

/** What a month has come to so far, by the lines that its invoice would have. `facts` are those up to `asOf`, an instant of the month. */
export function estimateOf(facts: MonthFacts, prices: PriceList, asOf: Date): Estimate {
  const lines = linesOf(facts, prices);
  return {
    lines,
    subtotal: sumOfLines(lines),
    projected: projectionOf(facts, prices, asOf),
    reason: isCharged(facts, prices) ? null : 'plan_has_no_charges',
  };
}

/** Plan, proration and corrections stay as they are; what is metered in this month grows with the time that is left. */
function projectionOf(facts: MonthFacts, prices: PriceList, asOf: Date): Projection | null {
  const month = periodOf(facts.month);
  const since = facts.madeAt === null ? month.start : new Date(facts.madeAt);
  const elapsed = secondsBetween(since, asOf);
  const whole = secondsBetween(since, month.end);
  if (elapsed < PROJECTED_AFTER_SECONDS) return null;
  const grown = (quantity: number): number => wholeNumber(divideDown(BigInt(Math.max(0, quantity)) * whole, elapsed));
  const used = Object.fromEntries(Object.entries(facts.used).map(([meter, quantity]) => [meter, grown(quantity)]));
  const executions = facts.executions.map((settled) =>
    settled.admittedIn === facts.month ? { ...settled, succeeded: grown(settled.succeeded) } : settled,
  );
  const projected = { ...facts, used: used as Record<CountedMeter, number>, executions };
  return {
    subtotal: sumOfLines(linesOf(projected, prices)),
    method: 'linear_by_elapsed_seconds',
    confidence: elapsed < NORMAL_AFTER_SECONDS ? 'low' : 'normal',
    elapsedShare: decimalOf(elapsed, whole, 4),
  };
}
