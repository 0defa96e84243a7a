import { expect, test } from 'vitest';
import { createAction, invoke } from '../api/invocations/support.ts';
import { sentTo, untilSeen } from './seen.ts';
import { startApiProcess } from './separate-processes.ts';

/** SIGKILL of a worker that holds all places of a workspace, while other calls of it queue for one. */

const CAP = 2;
const HANGING = ['/hang?one', '/hang?two'];
const QUEUED = ['/ok?three', '/ok?four'];

const { processes, target, api } = await startApiProcess();

const places = (isTaken: boolean) =>
  processes.database.asOwner<{ holder: string }>(
    `SELECT holder FROM lane_places WHERE kind = 'dispatch' AND is_taken = $1`,
    [isTaken],
  );

test('the places come back, who queued is sent once, and what was under way is never sent again', async () => {
  const settings = { WORKSPACE_DISPATCHES_MAX: `${CAP}` };
  // As in production: this worker also sets the time-out of those that queue, which must end well.
  const worker = await processes.startWorker({ ...settings, HEARTBEAT_TIMEOUT_SECONDS: '10' });
  const invoked = async (url: string) => {
    const action = await createAction(api, { url: `${target.baseUrl}${url}` }, { timeoutMs: 120_000 });
    return (await invoke(api, action)).invocation;
  };
  const hanging = HANGING.map(invoked);
  await untilSeen(target, HANGING);
  const queued = QUEUED.map(invoked);
  await expect.poll(async () => (await places(false)).length).toBe(QUEUED.length);
  expect(await places(true)).toHaveLength(CAP);
  expect(await Promise.all(QUEUED.map((url) => sentTo(target, url)))).toEqual([0, 0]);

  await worker.end('SIGKILL');
  await processes.startWorker(settings);

  expect((await Promise.all(hanging)).map(({ status }) => status)).toEqual(['unknown', 'unknown']);
  expect((await Promise.all(queued)).map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
  expect(await Promise.all([...HANGING, ...QUEUED].map((url) => sentTo(target, url)))).toEqual([1, 1, 1, 1]);
  await expect.poll(() => processes.database.asOwner('SELECT 1 FROM lane_places')).toEqual([]);
});
