import { expect, test } from 'vitest';
import { jobSchema } from '../../api/dead-letters/schemas.ts';
import { keySchema } from '../../api/flow-control/schemas.ts';
import { createApiKey } from '../../db/api-keys/api-keys.ts';
import { SCOPES } from '../../domain/scopes.ts';
import { plantDeadLetters } from '../api/dead-letters/plant.ts';
import { dataOf } from '../api/invocations/support.ts';
import { startDestination } from '../api/messages/support.ts';
import { inForm } from './form.ts';
import { SeparateProcesses } from './separate-processes.ts';

/**
 * SIGKILL of the worker in the middle of a job that retries all dead letters, twice. The short form waits for each delivery. In the full
 * form a flow-control key that is paused holds them, and the first of them are awaited.
 */

const RECORDS = inForm({ short: 400, full: 100_000 });
const PLANTED_AT_ONCE = 20_000;
/** Each look counts all records. */
const LOOK_MS = inForm({ short: 100, full: 100_000 });
const IS_HELD = inForm({ short: false, full: true });
/** So many of those that were held are let through at the end. */
const LET_THROUGH = 500;
/** The lease of a worker that is killed. */
const KILLED = { HEARTBEAT_TIMEOUT_SECONDS: '4' };
const JOB_TIMEOUT_MS = inForm({ short: 300_000, full: 3 * 3_600_000 });

const [processes, destination] = await Promise.all([SeparateProcesses.start(), startDestination()]);
const { database } = processes;
const { key } = await database.db.withEnvironment(database.tenant, (tx) =>
  createApiKey(tx, { name: 'test', scopes: SCOPES }),
);
const api = (await processes.startApi()).as(key);

/** The id of a key that lets nothing through until it is resumed. */
async function pausedKey(): Promise<string> {
  const { id } = dataOf(await api.post('/api/v2/flow-control', { key: 'held', parallelism: 20 }), keySchema);
  dataOf(await api.post(`/api/v2/flow-control/${id}/pause`, {}), keySchema);
  return id;
}

const count = async (where: string): Promise<number> => {
  const [row] = await processes.database.asOwner<{ n: number }>(`SELECT count(*)::int AS n FROM ${where}`);
  return row?.n ?? -1;
};

const job = async (id: string) => dataOf(await api.get(`/api/v2/dlq/jobs/${id}`), jobSchema);

test(
  `${RECORDS} dead letters are retried by one call, across two kills of the worker, each once`,
  async () => {
    const url = `${destination.baseUrl}/retried`;
    const flowControlKeyId = IS_HELD ? await pausedKey() : null;
    for (let planted = 0; planted < RECORDS; planted += PLANTED_AT_ONCE) {
      // An attempt that dies with its worker counts as failed: without retries its message would be a dead letter again.
      const count = Math.min(PLANTED_AT_ONCE, RECORDS - planted);
      await plantDeadLetters(processes.database, { count, url, maxRetries: 5, flowControlKeyId });
    }
    let worker = await processes.startWorker(KILLED);
    const { id } = dataOf(await api.post('/api/v2/dlq/retry-all', {}), jobSchema);
    for (const share of [0.2, 0.6]) {
      const isThere = async () => (await job(id)).done >= share * RECORDS;
      await expect.poll(isThere, { timeout: JOB_TIMEOUT_MS, interval: LOOK_MS }).toBe(true);
      await worker.end('SIGKILL');
      worker = await processes.startWorker(share === 0.6 ? {} : KILLED);
    }
    const end = async () => (await job(id)).endedAt;
    await expect.poll(end, { timeout: JOB_TIMEOUT_MS, interval: LOOK_MS }).not.toBeNull();
    expect(await job(id)).toMatchObject({ status: 'completed', total: RECORDS, done: RECORDS, failed: 0 });
    const [counted] = await processes.database.asOwner(
      `SELECT (SELECT count(*)::int FROM dead_letters) AS left, count(*)::int AS retries, count(DISTINCT retry_of)::int AS records
       FROM messages WHERE retry_of IS NOT NULL`,
    );
    expect(counted).toEqual({ left: 0, retries: RECORDS, records: RECORDS });
    const unsent = `messages WHERE retry_of IS NOT NULL AND status <> 'delivered'`;
    const sent = () => new Set(destination.on('/retried').map(({ headers }) => headers['webhook-id'])).size;
    const held = flowControlKeyId === null ? null : [await count(unsent), await count('lane_queue'), sent()];
    expect(held).toEqual(IS_HELD ? [RECORDS, RECORDS, 0] : null);
    if (flowControlKeyId !== null) {
      dataOf(await api.post(`/api/v2/flow-control/${flowControlKeyId}/resume`, {}), keySchema);
    }
    // None is stuck: what was claimed by a worker that died is claimed again when its lease ends.
    const awaited = IS_HELD ? LET_THROUGH : RECORDS;
    const areSent = async () => RECORDS - (await count(unsent)) >= awaited;
    await expect.poll(areSent, { timeout: JOB_TIMEOUT_MS, interval: LOOK_MS }).toBe(true);
    expect(sent()).toBeGreaterThanOrEqual(awaited);
  },
  2 * JOB_TIMEOUT_MS,
);
