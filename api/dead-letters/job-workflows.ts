import type { Client } from '@temporalio/client';
import type { JobRecord } from '../../db/dead-letters/jobs.ts';
import type { DeadLetterJobRef } from '../../domain/dead-letters/dead-letters.ts';
import { deadLetterJobStart } from '../../temporal/dead-letters/dead-letter-jobs.ts';
import { LOOK_SIGNAL } from '../../temporal/look-signal.ts';
import { TASK_QUEUE } from '../../temporal/task-queues.ts';
import type { Caller, WorkDependencies } from '../http/define-route.ts';
import { signalOrStart } from '../starts/start-workflow.ts';

/** Starts the workflow of a committed job, or signals the running one. An ended one stays ended. */
export async function wakeDeadLetterJob(
  client: Client,
  ref: DeadLetterJobRef,
  { environmentName, taskQueue = TASK_QUEUE }: { environmentName: string | null; taskQueue?: string },
): Promise<void> {
  await signalOrStart(client, deadLetterJobStart(ref, taskQueue, environmentName), LOOK_SIGNAL);
}

export function wakeJob(
  deps: Pick<WorkDependencies, 'temporal' | 'taskQueue'>,
  { tenant: { workspaceId, environmentId }, environment }: Caller,
  { id: jobId, kind }: Pick<JobRecord, 'id' | 'kind'>,
): Promise<void> {
  const ref = { jobId, kind, workspaceId, environmentId };
  return wakeDeadLetterJob(deps.temporal, ref, { environmentName: environment.name, taskQueue: deps.taskQueue });
}
