/** What crosses the border of the invocation workflow: ids and small facts, never inputs, credentials or responses. */
import type { InvocationRef, InvocationState } from '../../domain/refs.ts';

export const INVOKE_ACTION_WORKFLOW = 'invokeAction';
export type InvokeActionInput = InvocationRef;
/** Null: the admission was withdrawn before the workflow began. */
export type InvokeActionResult = InvocationState | null;

/** A signal to an invocation that waits for what it depends on: one of those effects is settled. */
export const DEPENDENCY_SETTLED_SIGNAL = 'dependencySettled';

export function invocationWorkflowId(invocationId: string): string {
  return `invocation/${invocationId}`;
}
