import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import type { MemoryJobRecord } from '../../db/memory/jobs.ts';
import type { MemoryJobRef } from '../../domain/memory/memory-jobs.ts';
import { LOOK_SIGNAL } from '../../temporal/look-signal.ts';
import { memoryJobStart } from '../../temporal/memory/memory-jobs.ts';
import { TASK_QUEUE } from '../../temporal/task-queues.ts';
import { TEMPORAL_CALL_TIMEOUT_MS } from '../../temporal/time-outs.ts';
import type { Caller, WorkDependencies } from '../http/define-route.ts';

/** Starts the workflow of a job that is committed, or tells the running one to look. One that has ended stays ended. */
export async function wakeMemoryJob(
  client: Client,
  ref: MemoryJobRef,
  { environmentName, taskQueue = TASK_QUEUE }: { environmentName: string | null; taskQueue?: string },
): Promise<void> {
  const { type, options } = memoryJobStart(ref, taskQueue, environmentName);
  try {
    await client.withDeadline(Date.now() + TEMPORAL_CALL_TIMEOUT_MS, () =>
      client.workflow.signalWithStart(type, { ...options, signal: LOOK_SIGNAL }),
    );
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error; // it ran to its end
  }
}

/** The same for the job of a request. */
export function wakeMemoryJobOf(
  deps: Pick<WorkDependencies, 'temporal' | 'taskQueue'>,
  { tenant: { workspaceId, environmentId }, environment }: Caller,
  { id: jobId, kind }: Pick<MemoryJobRecord, 'id' | 'kind'>,
): Promise<void> {
  const ref = { jobId, kind, workspaceId, environmentId };
  return wakeMemoryJob(deps.temporal, ref, { environmentName: environment.name, taskQueue: deps.taskQueue });
}
