import type { ImpactQuantity } from '../actions.ts';
import type { Outcome, PartialEffect, Stage } from '../lifecycle.ts';
import type { Exposure, ReservationState } from './limits.ts';

export interface ReservationPlace {
  state: ReservationState;
  exposure: Exposure | null;
}

/**
 * Where the reservations of an effect stand, from its own row. Null: it can have none yet. The database holds the same table
 * (`reservation_place`) and checks it at every commit.
 *
 * A failure that may have had a part of its effect is no proof that nothing happened: its reservation counts as used, in full
 * where nobody said how much, and says `partial`.
 */
export function reservationPlace(effect: {
  stage: Stage;
  outcome: Outcome;
  partialEffect: PartialEffect;
}): ReservationPlace | null {
  if (effect.stage === 'rejected') return { state: 'released', exposure: null };
  if (effect.stage === 'dispatching') return { state: 'reserved', exposure: 'dispatching' };
  switch (effect.outcome) {
    case 'not_dispatched':
      return null;
    case 'pending':
    case 'unknown':
      return { state: 'reserved', exposure: effect.outcome };
    case 'succeeded':
      return { state: 'settled', exposure: null };
    case 'failed':
      return effect.partialEffect === 'none'
        ? { state: 'released', exposure: null }
        : { state: 'settled', exposure: 'partial' };
  }
}

/** What is known of how much an effect really used. */
export type SettledImpact = readonly Pick<ImpactQuantity, 'dimension' | 'currency' | 'amount'>[];

/**
 * How much of a reservation is settled: what was observed in its dimension and currency, where anyone said so, and else all.
 * Never more than was reserved: a cap is never exceeded by a settlement.
 */
export function settledAmount(
  reservation: { amount: number; dimension: string; currency: string | null },
  settledImpact: SettledImpact | null,
): number {
  const observed = (settledImpact ?? []).filter(
    (quantity) => quantity.dimension === reservation.dimension && (quantity.currency ?? null) === reservation.currency,
  );
  if (observed.length === 0) return reservation.amount;
  return Math.min(
    reservation.amount,
    observed.reduce((sum, { amount }) => sum + amount, 0),
  );
}
