/** What crosses the border of the reconciliation workflow. */
import type { EffectRef, InvocationState } from '../../domain/refs.ts';

export const RECONCILE_EFFECT_WORKFLOW = 'reconcileEffect';
export type ReconcileEffectInput = EffectRef;
export type ReconcileEffectResult = InvocationState;

export function reconciliationWorkflowId(effectId: string): string {
  return `reconcile/${effectId}`;
}
