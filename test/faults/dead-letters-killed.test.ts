import { afterAll, beforeAll, expect, test } from 'vitest';
import { jobSchema } from '../../api/dead-letters/schemas.ts';
import { createApiKey } from '../../db/api-keys/create-api-key.ts';
import { SCOPES } from '../../domain/scopes.ts';
import { plantDeadLetters } from '../api/dead-letters/plant.ts';
import { type Caller, dataOf } from '../api/invocations/support.ts';
import { type Destination, startDestination } from '../api/messages/support.ts';
import { inForm } from './form.ts';
import { SeparateProcesses } from './separate-processes.ts';

/** SIGKILL of the worker in the middle of a job that retries all dead letters, twice. */

const RECORDS = inForm({ short: 400, full: 100_000 });
const PLANTED_AT_ONCE = 20_000;
/** Each look counts all records. */
const LOOK_MS = inForm({ short: 100, full: 2_000 });
const JOB_TIMEOUT_MS = inForm({ short: 300_000, full: 3 * 3_600_000 });

let processes: SeparateProcesses;
let destination: Destination;
let api: Caller;
beforeAll(async () => {
  [processes, destination] = await Promise.all([SeparateProcesses.start(), startDestination()]);
  const { database } = processes;
  const { key } = await database.db.withEnvironment(database.tenant, (tx) =>
    createApiKey(tx, { name: 'test', scopes: SCOPES }),
  );
  api = (await processes.startApi()).as(key);
});
afterAll(async () => {
  await processes.close();
  await destination.close();
});

const job = async (id: string) => dataOf(await api.get(`/api/v2/dlq/jobs/${id}`), jobSchema);

test(
  `${RECORDS} dead letters are retried by one call, across two kills of the worker, each once`,
  async () => {
    const url = `${destination.baseUrl}/retried`;
    for (let planted = 0; planted < RECORDS; planted += PLANTED_AT_ONCE) {
      // An attempt that dies with its worker counts as failed: without retries its message would be a dead letter again.
      const count = Math.min(PLANTED_AT_ONCE, RECORDS - planted);
      await plantDeadLetters(processes.database, { count, url, maxRetries: 5 });
    }
    let worker = await processes.startWorker();
    const { id } = dataOf(await api.post('/api/v2/dlq/retry-all', {}), jobSchema);
    for (const share of [0.2, 0.6]) {
      const isThere = async () => (await job(id)).done >= share * RECORDS;
      await expect.poll(isThere, { timeout: JOB_TIMEOUT_MS, interval: LOOK_MS }).toBe(true);
      await worker.end('SIGKILL');
      worker = await processes.startWorker();
    }
    const end = async () => (await job(id)).endedAt;
    await expect.poll(end, { timeout: JOB_TIMEOUT_MS, interval: LOOK_MS }).not.toBeNull();
    expect(await job(id)).toMatchObject({ status: 'completed', total: RECORDS, done: RECORDS, failed: 0 });
    const [counted] = await processes.database.asOwner(
      `SELECT (SELECT count(*)::int FROM dead_letters) AS left, count(*)::int AS retries, count(DISTINCT retry_of)::int AS records
       FROM messages WHERE retry_of IS NOT NULL`,
    );
    expect(counted).toEqual({ left: 0, retries: RECORDS, records: RECORDS });
    // None is stuck: the workflows that were lost with a worker are started by whoever comes next.
    const unsent = `SELECT count(*)::int AS n FROM messages WHERE retry_of IS NOT NULL AND status <> 'delivered'`;
    const left = () => processes.database.asOwner(unsent);
    await expect.poll(left, { timeout: JOB_TIMEOUT_MS, interval: LOOK_MS }).toEqual([{ n: 0 }]);
    expect(new Set(destination.on('/retried').map((sent) => sent.headers['webhook-id'])).size).toBe(RECORDS);
  },
  2 * JOB_TIMEOUT_MS,
);
