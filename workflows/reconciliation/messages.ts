/** What crosses the border of the reconciliation workflows. */
import type { EffectRef, InvocationState, ReplayRef } from '../../domain/refs.ts';

export const RECONCILE_EFFECT_WORKFLOW = 'reconcileEffect';
export type ReconcileEffectInput = EffectRef;
export type ReconcileEffectResult = InvocationState;

/** An Update: reads at once, and answers when what was read is settled. */
export const RECONCILE_NOW_UPDATE = 'reconcileNow';
export type ReconcileNowResult = InvocationState;

/** A signal: the record changed (a person resolved it, a replay was answered); look at it, and end where it is settled. */
export const LOOK_SIGNAL = 'look';

export function reconciliationWorkflowId(effectId: string): string {
  return `reconcile/${effectId}`;
}

/** Reads on what has succeeded and may still be reversed by its provider. */
export const WATCH_REVERSAL_WORKFLOW = 'watchReversal';
export type WatchReversalInput = EffectRef;
export type WatchReversalResult = InvocationState;

export function reversalWorkflowId(effectId: string): string {
  return `reversal/${effectId}`;
}

/** Sends what was lost once more, under the same provider key. */
export const REPLAY_EFFECT_WORKFLOW = 'replayEffect';
export interface ReplayEffectInput extends ReplayRef {
  /** Of the action: how long the call may take. */
  timeoutMs: number;
}
export type ReplayEffectResult = InvocationState;

export function replayWorkflowId(attemptId: string): string {
  return `replay/${attemptId}`;
}
