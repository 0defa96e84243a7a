import type { PlanName } from '../plans.ts';
import { divideHalfUp, secondsBetween } from './exact.ts';
import type { Period } from './periods.ts';

/** The whole less the rounded price before `from`: segments always sum to the price. Whole UTC seconds. */
export function restOf(price: bigint, month: Period, from: Date): bigint {
  return segmentOf(price, month, { start: from, end: month.end });
}

export function segmentOf(price: bigint, month: Period, { start, end }: Period): bigint {
  return priceUntil(price, month, end) - priceUntil(price, month, start);
}

function priceUntil(price: bigint, month: Period, at: Date): bigint {
  return divideHalfUp(price * secondsBetween(month.start, at), secondsBetween(month.start, month.end));
}

/** How a line of proration came about. `fromPlan` is null where the workspace was made in the month. */
export interface Proration {
  fromPlan: PlanName | null;
  toPlan: PlanName;
  /** From the change to the end of the month. */
  seconds: number;
  ofSeconds: number;
}
