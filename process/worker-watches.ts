import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import { WorkerWatch } from '../api/health/worker-watch.ts';
import { activityQueue, TASK_QUEUE } from '../temporal/task-queues.ts';

/** An API that runs invocations polls the queue of the workflows itself, and none of the others. */
export function watchesOf(temporal: Client, logger: Logger): Record<'workers' | 'workerProcesses', WorkerWatch> {
  const others = activityQueue(TASK_QUEUE, 'maintenance');
  return {
    workers: new WorkerWatch({ temporal, taskQueue: TASK_QUEUE, polls: 'workflows', logger }),
    workerProcesses: new WorkerWatch({ temporal, taskQueue: others, polls: 'activities', logger }),
  };
}
