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

const RETRY_DELAY_MS = 100;

/** Starts an effect's reads, or finds them running. An ended one continues from the record. */
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
  waitMs: number;
  environmentName: string | null;
  taskQueue?: string;
}

export type ReconciledNow =
  | 'read'
  /** No result arrived within the caller's wait. */
  | 'under_way';

/**
 * Has an effect's reconciliation read now, restarting an exhausted or terminated one, and waits. Throws the client's error when Temporal
 * cannot be reached.
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
      // It ended just now: the next try restarts it, or the effect is settled.
      if (!(error instanceof WorkflowUpdateFailedError || error instanceof WorkflowNotFoundError)) throw error;
      if (Date.now() > deadline) return 'under_way';
      await delay(RETRY_DELAY_MS);
    }
  }
}

/** Throws the client's error when Temporal cannot be reached. */
export async function startReplayWorkflow(
  client: Client,
  input: ReplayEffectInput,
  environmentName: string | null,
  taskQueue: string = TASK_QUEUE,
): Promise<void> {
  await startOnce(client, replayEffectStart(input, taskQueue, environmentName));
}

/** Returns false when the replay is still under way after `waitMs`. */
export async function awaitReplay(client: Client, attemptId: string, waitMs: number): Promise<boolean> {
  try {
    await client.withDeadline(Date.now() + waitMs, () =>
      client.workflow.getHandle(replayWorkflowId(attemptId)).result(),
    );
    return true;
  } catch (error) {
    // The wait is over, or Temporal is briefly away: the replay continues.
    if (isGrpcServiceError(error)) return false;
    throw error;
  }
}

/** Ends a resolved effect's reconciliation and releases the invocations that depend on it. */
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
