import type { Grade, InvocationStatus, Stage } from './lifecycle.ts';
import type { RefusalCode } from './refusals.ts';

/** The keys of an invocation's rows. Workflows and activities pass these instead of its contents. */
export interface InvocationRef {
  invocationId: string;
  workspaceId: string;
  environmentId: string;
}

export interface EffectRef extends InvocationRef {
  effectId: string;
  /** Shown beside it in the Temporal UI. */
  actionName: string;
}

/** An effect whose provider is to be read, with the grade of its record: an operator finds the workflow by it from its start on. */
export interface EffectToRead extends EffectRef {
  grade: Grade;
}

export interface ReplayRef extends EffectRef {
  attemptId: string;
}

/** The small facts of an invocation that a workflow may hold. The grade is that of its effect, if it has one. */
export interface InvocationState {
  status: InvocationStatus;
  grade: Grade;
  stage: Stage | null;
  effectId: string | null;
  /** Why it was not carried out, failed or is unknown; left out under any other status. */
  refusal?: RefusalCode;
  /** Invocations that wait for this one's effect, once it is settled; left out where there are none. */
  dependents?: string[];
}
