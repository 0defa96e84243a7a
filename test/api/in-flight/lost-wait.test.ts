import { expect, test } from 'vitest';
import { relayStarts } from '../../activities/maintenance/relay-starts.ts';
import { everyCap } from '../../harness/in-flight-caps.ts';
import { startTestService } from '../../harness/service.ts';
import { startTarget } from '../../harness/target.ts';
import { createAction, invoke } from '../invocations/support.ts';

/** One call at a time: the second waits for its place. */
const [service, target] = await Promise.all([startTestService({ inFlightCaps: everyCap(1) }), startTarget()]);

test('a call whose wait for a place a failover lost is unknown by the next sweep, and is not sent', async () => {
  const action = await createAction(service, { url: `${target.baseUrl}/hang` }, { timeoutMs: 60_000 });
  const first = invoke(service, action);
  await expect.poll(async () => (await target.requests('/hang')).length).toBe(1);
  const second = invoke(service, action);
  const waiting = async () =>
    service.database.asOwner<{ holder: string }>(
      `SELECT holder FROM lane_places WHERE kind = 'dispatch' AND NOT is_taken`,
    );
  await expect.poll(waiting).toHaveLength(1);
  const [{ holder: id } = { holder: '' }] = await waiting();
  // It gave up its slot, and its workflow waits to be told.
  const scheduled = async () => {
    const { events } = await service.client.workflow.getHandle(`invocation/${id}`).fetchHistory();
    return events?.some((event) => event.timerStartedEventAttributes) ?? false;
  };
  await expect.poll(scheduled).toBe(true);

  await service.database.asOwner('UPDATE invocations SET timeline = 0 WHERE id = $1', [id]);
  await service.database.asOwner('DELETE FROM lane_places WHERE holder = $1', [id]);
  await relayStarts({ ...service.deps, ...service.starters }, service.database, 'invocation');

  await expect.poll(waiting).toEqual([{ holder: id }]); // it has asked again
  await target.release();
  expect((await first).invocation.status).toBe('succeeded');
  expect((await second).invocation).toMatchObject({ id, status: 'unknown' });
  const reason = 'SELECT refusal_code AS reason FROM invocations WHERE id = $1';
  expect(await service.database.asOwner(reason, [id])).toEqual([{ reason: 'database_recovered' }]);
  expect(await target.requests('/hang')).toHaveLength(1);
});
