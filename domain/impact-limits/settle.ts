import type { SettledImpact } from '../impact.ts';
import type { Outcome, PartialEffect, Stage } from '../lifecycle.ts';
import type { Exposure, ReservationState } from './limits.ts';

export interface RequiredState {
  state: ReservationState;
  exposure: Exposure | null;
}

/**
 * The state that an effect's reservations must have, from the effect's own row. Null: it can have none yet. The database holds
 * the same table (`reservation_place`) and checks it at every commit.
 *
 * A failure that may have had part of its effect does not prove that nothing happened. Its reservation counts as used, in full
 * unless someone said how much, and is marked `partial`.
 */
export function requiredState(effect: {
  stage: Stage;
  outcome: Outcome;
  partialEffect: PartialEffect;
}): RequiredState | null {
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

/**
 * How much of a reservation is settled: the amount observed in its dimension and currency, or all of it if none was observed.
 * Never more than was reserved, so that a settlement never exceeds a cap.
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
