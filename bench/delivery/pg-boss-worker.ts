import { Pool } from 'pg';
import { announceReady } from '../invoke/child.ts';
import { recorded } from './attempts-table.ts';
import { loadPgBoss } from './libraries.ts';
import { BOSS_QUEUE, CALLS_AT_ONCE } from './queue-settings.ts';
import type { Message, WorkerTask } from './side.ts';
import { sendSigned } from './signed-call.ts';

/**
 * A worker of pg-boss in a process of its own, as its documentation sets one up for many jobs: woken by notifications, fetching in
 * batches for as long as they come back full, and settling each job of a batch by itself.
 */
const BATCH_SIZE = 10;

const task = JSON.parse(process.argv[2] ?? '') as WorkerTask;
const { PgBoss } = await loadPgBoss();
const pool = new Pool({ connectionString: task.address, max: CALLS_AT_ONCE });
const boss = new PgBoss({ connectionString: task.address, useListenNotify: true });
boss.on('error', (error) => console.error(error));
await boss.start();
await boss.work(
  BOSS_QUEUE,
  {
    localConcurrency: CALLS_AT_ONCE / BATCH_SIZE,
    batchSize: BATCH_SIZE,
    burstWhenBatchFull: true,
    perJobResults: true,
    includeMetadata: true,
    notifyPollingIntervalSeconds: 2,
  },
  (jobs) =>
    Promise.all(
      jobs.map(async ({ id, data, retryCount }) => {
        const send = (): ReturnType<typeof sendSigned> => sendSigned(task, id, data as Message);
        try {
          await recorded((statement) => pool.query(statement), id, retryCount + 1, send);
          return { id, status: 'completed' };
        } catch (error) {
          return { id, status: 'failed', output: { message: String(error) } };
        }
      }),
    ),
);
announceReady({ port: 0 });
