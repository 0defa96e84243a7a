import { Client } from 'pg';
import { afterAll, expect, test } from 'vitest';
import { insertMessages } from '../../../db/messages/insert-messages.ts';
import { firingMessageId } from '../../../domain/schedules/firing-id.ts';
import { plainMessage } from '../../db/messages/plain-message.ts';
import { startTestApi } from '../harness/test-api.ts';
import { PATIENCE_MS } from '../../harness/patience.ts';
import { messageIn } from './support.ts';

/** A message that outlives its range is moved to another partition. PostgreSQL ends who waits for its row: 40001, and not an update. */

const api = await startTestApi();
const { key } = await api.createKey(api.database.tenant);
const mover = new Client({ connectionString: api.database.ownerUrl });
await mover.connect();
afterAll(async () => {
  await mover.end();
});

/** A message that waits since before its range was made, as one that was scheduled does. Returns its id. */
async function waitingSince(at: Date): Promise<string> {
  const { db, tenant } = api.database;
  const id = firingMessageId({ scheduleId: 'sch_1', trigger: 'schedule', nominalAt: at, endpointId: null });
  await db.withEnvironment(tenant, (tx) => insertMessages(tx, [plainMessage({ id })]));
  return id;
}
/** How many statements of the API wait for the mover's lock. */
async function waiting(moverPid: number | undefined): Promise<number> {
  const [row] = await api.database.asOwner<{ n: number }>(
    `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND $1 = ANY (pg_blocking_pids(pid))`,
    [moverPid],
  );
  return row?.n ?? 0;
}

test('a cancellation that waits while its message is moved to another partition runs again, and cancels it', async () => {
  const messageId = await waitingSince(new Date(Date.now() - 40 * 86_400_000));
  const [own] = (await mover.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows;
  await mover.query('BEGIN');
  const { rows } = await mover.query<{ moved: number }>('SELECT keep_live_messages(1000) AS moved');
  expect(rows).toEqual([{ moved: 2 }]); // its content too
  const cancelling = api.call('DELETE', `/api/v2/messages/${messageId}`, { key });
  try {
    await expect.poll(() => waiting(own?.pid), { timeout: PATIENCE_MS }).toBe(1);
  } finally {
    await mover.query('COMMIT');
  }
  const reply = await cancelling;
  expect([reply.status, reply.text]).toEqual([200, reply.text]);
  expect(messageIn(reply).status).toBe('cancelled');
  expect(messageIn(await api.call('GET', `/api/v2/messages/${messageId}`, { key })).status).toBe('cancelled');
});
