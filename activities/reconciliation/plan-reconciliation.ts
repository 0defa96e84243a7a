import { markReconciliationExhausted, planReconciliation as writePlan } from '../../db/effects/plan-reconciliation.ts';
import type { EffectRef } from '../../domain/refs.ts';
import type { ActivityDependencies } from '../dependencies.ts';

/** Puts on record when the effect is read next, for whoever looks at it meanwhile. `nextAt` is in ISO form. */
export function planReconciliation(deps: ActivityDependencies) {
  return async (input: EffectRef, attempts: number, nextAt: string): Promise<void> => {
    await deps.db.withEnvironment(input, (tx) => writePlan(tx, input.effectId, attempts, new Date(nextAt)));
  };
}

/** The schedule is at its end and the outcome is still unknown: only a person, or the provider's late word, can settle it. */
export function exhaustReconciliation(deps: ActivityDependencies) {
  return async (input: EffectRef, attempts: number): Promise<void> => {
    await deps.db.withEnvironment(input, (tx) => markReconciliationExhausted(tx, input.effectId, attempts));
  };
}
