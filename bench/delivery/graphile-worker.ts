import { announceReady } from '../invoke/child.ts';
import { recorded } from './attempts-table.ts';
import { loadGraphileWorker } from './libraries.ts';
import { CALLS_AT_ONCE, GRAPHILE_TASK } from './queue-settings.ts';
import type { Message, WorkerTask } from './side.ts';
import { sendSigned } from './signed-call.ts';

/** A worker of graphile-worker in a process of its own, with the batching of its page about performance. */
const task = JSON.parse(process.argv[2] ?? '') as WorkerTask;
const { run } = await loadGraphileWorker();
const runner = await run({
  preset: {
    worker: {
      connectionString: task.address,
      concurrentJobs: CALLS_AT_ONCE,
      maxPoolSize: 2 * CALLS_AT_ONCE, // the attempts are written over the same pool
      localQueue: { size: CALLS_AT_ONCE + 1 },
      completeJobBatchDelay: 0,
      failJobBatchDelay: 0,
    },
  },
  taskList: {
    [GRAPHILE_TASK]: (payload, { job, query }) =>
      recorded(query, job.id, job.attempts, () => sendSigned(task, job.id, payload as Message)),
  },
});
announceReady({ port: 0 });
await runner.promise;
