import type { Grade, InvocationStatus, Stage } from './lifecycle.ts';

/** Where an invocation's rows are found: what workflows and activities hand each other instead of its contents. */
export interface InvocationRef {
  invocationId: string;
  workspaceId: string;
  environmentId: string;
}

/** Where an effect's rows are found. */
export interface EffectRef extends InvocationRef {
  effectId: string;
  /** What the Temporal UI shows beside it. */
  actionName: string;
}

/** One replay of an effect: the attempt that fences it. */
export interface ReplayRef extends EffectRef {
  attemptId: string;
}

/** The small facts of an invocation that a workflow may hold. The grade is the effect's where one governs. */
export interface InvocationState {
  status: InvocationStatus;
  grade: Grade;
  stage: Stage | null;
  effectId: string | null;
  /** Invocations that wait for this one's effect, once it is settled; left out where there are none. */
  dependents?: string[];
}
