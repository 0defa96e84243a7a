import { expect, test } from 'vitest';
import { createAction, invoke } from '../api/invocations/support.ts';
import { sentTo } from './seen.ts';
import { startApiProcess } from './separate-processes.ts';

/** SIGKILL of a worker that took a dispatch up and has not claimed it yet. */

const HEARTBEAT_TIMEOUT_SECONDS = '4';
/** Far below the hour that a dispatch may wait for a worker. */
const SENT_WITHIN_MS = 60_000;

const { processes, target, api } = await startApiProcess();

const claiming = () =>
  processes.database.asOwner<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Timeout' AND wait_event = 'PgSleep'`,
  );

/** Claims stand still in the database until they are let go, so that the worker dies in the middle of one. */
async function stopClaims(): Promise<void> {
  await processes.database.asOwner(`
    CREATE FUNCTION stand_still() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM pg_sleep(3600); RETURN NEW; END $$`);
  await processes.database.asOwner(`
    CREATE TRIGGER stand_still BEFORE UPDATE ON attempts FOR EACH ROW
      WHEN (OLD.claimed_at IS NULL AND NEW.claimed_at IS NOT NULL) EXECUTE FUNCTION stand_still()`);
  await processes.database.asOwner(`
    CREATE TRIGGER stand_still_at_once BEFORE INSERT ON attempts FOR EACH ROW
      WHEN (NEW.claimed_at IS NOT NULL) EXECUTE FUNCTION stand_still()`);
}

test('another worker sends a short and a long call, each once, soon after the kill and not after an hour', async () => {
  await stopClaims();
  const worker = await processes.startWorker({ HEARTBEAT_TIMEOUT_SECONDS });
  const short = await createAction(api, { url: `${target.baseUrl}/ok?short` });
  const long = await createAction(api, { url: `${target.baseUrl}/ok?long` }, { timeoutMs: 120_000 });
  const invoked = [invoke(api, short)];
  await expect.poll(async () => (await claiming()).length).toBe(1);
  invoked.push(invoke(api, long));
  await expect.poll(async () => (await claiming()).length).toBe(2);
  await worker.end('SIGKILL');
  // The connections of a dead process end with it, on a machine of its own after TCP's time-out.
  for (const { pid } of await claiming()) await processes.database.asOwner('SELECT pg_terminate_backend($1)', [pid]);
  await processes.database.asOwner('DROP TRIGGER stand_still ON attempts');
  await processes.database.asOwner('DROP TRIGGER stand_still_at_once ON attempts');
  const killedAtMs = Date.now();
  await processes.startWorker({ HEARTBEAT_TIMEOUT_SECONDS });

  for (const { invocation } of await Promise.all(invoked))
    expect(invocation).toMatchObject({ status: 'succeeded', error: null });
  expect(Date.now() - killedAtMs).toBeLessThan(SENT_WITHIN_MS);
  expect([await sentTo(target, '/ok?short'), await sentTo(target, '/ok?long')]).toEqual([1, 1]);
  expect(await processes.database.asOwner('SELECT 1 FROM lane_places')).toEqual([]);
});
