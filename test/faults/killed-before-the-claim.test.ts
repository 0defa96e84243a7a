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
    CREATE OR REPLACE FUNCTION stand_still() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM pg_sleep(3600); RETURN NEW; END $$`);
  await processes.database.asOwner(`
    CREATE TRIGGER stand_still BEFORE UPDATE ON attempts FOR EACH ROW
      WHEN (OLD.claimed_at IS NULL AND NEW.claimed_at IS NOT NULL) EXECUTE FUNCTION stand_still()`);
  await processes.database.asOwner(`
    CREATE TRIGGER stand_still_at_once BEFORE INSERT ON attempts FOR EACH ROW
      WHEN (NEW.claimed_at IS NOT NULL) EXECUTE FUNCTION stand_still()`);
}

async function letClaimsGo(): Promise<void> {
  await processes.database.asOwner('DROP TRIGGER stand_still ON attempts');
  await processes.database.asOwner('DROP TRIGGER stand_still_at_once ON attempts');
}

test.each([
  ['a short call, with the judgement', 30_000],
  ['a long call, in a transaction of its own', 120_000],
])('%s: another worker sends it, once, soon after the kill and not after an hour', async (_, timeoutMs) => {
  await stopClaims();
  const worker = await processes.startWorker({ HEARTBEAT_TIMEOUT_SECONDS });
  const url = `/ok?timeoutMs=${timeoutMs}`;
  const action = await createAction(api, { url: `${target.baseUrl}${url}` }, { timeoutMs });
  const invoked = invoke(api, action);
  await expect.poll(async () => (await claiming()).length).toBe(1);
  await worker.end('SIGKILL');
  // The connections of a dead process end with it, on a machine of its own after TCP's time-out.
  for (const { pid } of await claiming()) await processes.database.asOwner('SELECT pg_terminate_backend($1)', [pid]);
  await letClaimsGo();
  const killedAtMs = Date.now();
  const next = await processes.startWorker({ HEARTBEAT_TIMEOUT_SECONDS });

  const { invocation } = await invoked;
  expect(Date.now() - killedAtMs).toBeLessThan(SENT_WITHIN_MS);
  expect(invocation).toMatchObject({ status: 'succeeded', error: null });
  expect(await sentTo(target, url)).toBe(1);
  expect(await processes.database.asOwner('SELECT 1 FROM lane_places')).toEqual([]);
  await next.end('SIGKILL');
});
