import type { SettledImpact } from '../impact.ts';
import type { Outcome, PartialEffect, Stage } from '../lifecycle.ts';
import type { Exposure, ReservationState } from './limits.ts';

/**
 * The state of an effect's reservations, from its row; null: none yet. The database checks the same table
 * (`reservation_place`) at every commit. A failure that may have had a part of its effect is `partial`: used in full,
 * unless someone said how much.
 */
export function requiredState(effect: {
  stage: Stage;
  outcome: Outcome;
  partialEffect: PartialEffect;
}): { state: ReservationState; exposure: Exposure | null } | null {
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

/** The amount observed in the dimension and currency, else all. Never more than reserved, so no cap is exceeded. */
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
