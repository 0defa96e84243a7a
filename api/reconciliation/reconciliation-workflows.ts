import { setTimeout as delay } from 'node:timers/promises';
import {
  type Client,
  isGrpcServiceError,
  WithStartWorkflowOperation,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import type { EffectToRead } from '../../domain/refs.ts';
import { DEPENDENCY_SETTLED_SIGNAL, invocationWorkflowId } from '../../temporal/invocations/invoke-action.ts';
import { LOOK_SIGNAL } from '../../temporal/look-signal.ts';
import {
  RECONCILE_NOW_UPDATE,
  reconcileEffectStart,
  reconciliationWorkflowId,
} from '../../temporal/reconciliation/reconcile-effect.ts';
import {
  type ReplayEffectInput,
  replayEffectStart,
  replayWorkflowId,
} from '../../temporal/reconciliation/replay-effect.ts';
import { watchReversalStart } from '../../temporal/reconciliation/watch-reversal.ts';
import { TASK_QUEUE } from '../../temporal/task-queues.ts';
import { TEMPORAL_CALL_TIMEOUT_MS } from '../../temporal/time-outs.ts';
import { startOnce, startWorkflow } from '../starts/start-workflow.ts';

/** Before a reconciliation that ended just now is asked again. */
const RETRY_DELAY_MS = 100;

/** Starts the reads of an effect, or finds them under way. One that ended is begun again and goes on where the record stands. */
export async function startReadsWorkflow(
  client: Client,
  ref: EffectToRead,
  kind: 'reconciliation' | 'reversal',
  environmentName: string | null,
  taskQueue: string = TASK_QUEUE,
): Promise<void> {
  const start = kind === 'reconciliation' ? reconcileEffectStart : watchReversalStart;
  await startWorkflow(client, start(ref, taskQueue, environmentName));
}

export interface ReconcileNowOptions {
  /** How long the caller waits for the read. */
  waitMs: number;
  environmentName: string | null;
  taskQueue?: string;
}

export type ReconciledNow =
  /** A read that began after the request is settled. */
  | 'read'
  /** It is still under way: no result came within the caller's waiting time. */
  | 'under_way';

/**
 * Asks the reconciliation of an effect to read at once, beginning it again where it was exhausted or terminated, and waits for
 * the read. Throws what the client throws where Temporal cannot be reached.
 */
export async function reconcileNow(
  client: Client,
  ref: EffectToRead,
  { waitMs, environmentName, taskQueue = TASK_QUEUE }: ReconcileNowOptions,
): Promise<ReconciledNow> {
  const { type, options } = reconcileEffectStart(ref, taskQueue, environmentName);
  const deadline = Date.now() + waitMs;
  for (;;) {
    try {
      await client.withDeadline(deadline, () =>
        client.workflow.executeUpdateWithStart(RECONCILE_NOW_UPDATE, {
          startWorkflowOperation: new WithStartWorkflowOperation(type, options),
        }),
      );
      return 'read';
    } catch (error) {
      if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError) return 'under_way';
      // It ended at this very moment: the next try begins it again, or the caller finds the effect settled.
      if (!(error instanceof WorkflowUpdateFailedError || error instanceof WorkflowNotFoundError)) throw error;
      if (Date.now() > deadline) return 'under_way';
      await delay(RETRY_DELAY_MS);
    }
  }
}

/** Starts a replay that was fenced. Throws what the client throws where Temporal cannot be reached. */
export async function startReplayWorkflow(
  client: Client,
  input: ReplayEffectInput,
  environmentName: string | null,
  taskQueue: string = TASK_QUEUE,
): Promise<void> {
  await startOnce(client, replayEffectStart(input, taskQueue, environmentName));
}

/** Waits until a replay is settled; answers false where it is still under way after `waitMs`. */
export async function awaitReplay(client: Client, attemptId: string, waitMs: number): Promise<boolean> {
  try {
    await client.withDeadline(Date.now() + waitMs, () =>
      client.workflow.getHandle(replayWorkflowId(attemptId)).result(),
    );
    return true;
  } catch (error) {
    // The wait is over, or Temporal is away for a moment: the replay goes on without us.
    if (isGrpcServiceError(error)) return false;
    throw error;
  }
}

/** Tells the reconciliation of a resolved effect to end, and the invocations that wait for the effect to go on. */
export async function tellOfResolution(client: Client, effectId: string, dependents: readonly string[]): Promise<void> {
  const signals: [string, string][] = [
    [reconciliationWorkflowId(effectId), LOOK_SIGNAL],
    ...dependents.map((id): [string, string] => [invocationWorkflowId(id), DEPENDENCY_SETTLED_SIGNAL]),
  ];
  await client.withDeadline(Date.now() + TEMPORAL_CALL_TIMEOUT_MS, () =>
    Promise.all(
      signals.map(async ([workflowId, signal]) => {
        try {
          await client.workflow.getHandle(workflowId).signal(signal);
        } catch (error) {
          if (!(error instanceof WorkflowNotFoundError)) throw error; // it has ended, or was never begun
        }
      }),
    ),
  );
}
