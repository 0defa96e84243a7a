import type { Client } from '@temporalio/client';
import type { MemoryJobRecord } from '../../db/memory/jobs.ts';
import type { MemoryJobRef } from '../../domain/memory/memory-jobs.ts';
import { LOOK_SIGNAL } from '../../temporal/look-signal.ts';
import { memoryJobStart } from '../../temporal/memory/memory-jobs.ts';
import { TASK_QUEUE } from '../../temporal/task-queues.ts';
import type { Caller, WorkDependencies } from '../http/define-route.ts';
import { signalOrStart } from '../starts/start-workflow.ts';

/** Starts the workflow of a committed job, or signals the running one. An ended one stays ended. */
export async function wakeMemoryJob(
  client: Client,
  ref: MemoryJobRef,
  { environmentName, taskQueue = TASK_QUEUE }: { environmentName: string | null; taskQueue?: string },
): Promise<void> {
  await signalOrStart(client, memoryJobStart(ref, taskQueue, environmentName), LOOK_SIGNAL);
}

export function wakeMemoryJobOf(
  deps: Pick<WorkDependencies, 'temporal' | 'taskQueue'>,
  { tenant: { workspaceId, environmentId }, environment }: Caller,
  { id: jobId, kind }: Pick<MemoryJobRecord, 'id' | 'kind'>,
): Promise<void> {
  const ref = { jobId, kind, workspaceId, environmentId };
  return wakeMemoryJob(deps.temporal, ref, { environmentName: environment.name, taskQueue: deps.taskQueue });
}
