import { Client, Connection } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import { SWEEP_SCHEDULE_ID } from '../../temporal/maintenance/sweep-maintenance.ts';
import { createAction, invocationIn, invoke } from '../api/invocations/support.ts';
import { startTarget } from '../harness/target.ts';
import { sentTo, untilSeen } from './seen.ts';
import { Gateway, SeparateProcesses } from './separate-processes.ts';

const HANGING = '/hang?killed';
const QUEUED = '/ok?queued';
const LOST = '/ok?lost';

/** The process to kill. It reaches Temporal through the gateway. */

const [processes, target] = await Promise.all([SeparateProcesses.start(), startTarget()]);
const gateway = await Gateway.to(processes.temporal.port);
const [doomed, other] = await Promise.all([
  processes.startApi({ TEMPORAL_ADDRESS: gateway.address }),
  processes.startApi(),
  processes.startWorker(),
]);

const actionFor = (url: string): Promise<string> =>
  createAction(other, { url: `${target.baseUrl}${url}` }, { timeoutMs: 50_000 });

async function invocationsOf(action: string): Promise<{ id: string; status: string }[]> {
  return processes.database.asOwner<{ id: string; status: string }>(
    'SELECT i.id, i.status FROM invocations i JOIN actions a ON a.id = i.action_id WHERE a.name = $1',
    [action],
  );
}

describe('SIGKILL of the API process between the admission and the reply', () => {
  test('the same requests to another process have the same single effects, once the lease is over', async () => {
    const [hanging, queued, lost] = await Promise.all([HANGING, QUEUED, LOST].map(actionFor));
    if (hanging === undefined || queued === undefined || lost === undefined) throw new Error('three were made');
    const key = (action: string) => ({ 'Idempotency-Key': `key-${action}` });
    const body = { input: {} };

    // One is at its target, and its duplicate waits at the other process. Two are admitted and never started.
    const cutOff = [doomed.post(`/api/v2/actions/${hanging}/invoke`, body, key(hanging))];
    await untilSeen(target, [HANGING]);
    const waiting = invoke(other, hanging, body, key(hanging));
    gateway.block();
    cutOff.push(doomed.post(`/api/v2/actions/${queued}/invoke`, body, key(queued)));
    cutOff.push(doomed.post(`/api/v2/actions/${lost}/invoke`, body));
    const ends = Promise.allSettled(cutOff);
    await expect.poll(() => invocationsOf(queued)).toMatchObject([{ status: 'queued' }]);
    await expect.poll(() => invocationsOf(lost)).toMatchObject([{ status: 'queued' }]);
    await doomed.program.end('SIGKILL');
    expect((await ends).map((end) => end.status)).toEqual(['rejected', 'rejected', 'rejected']);

    const again = [invoke(other, hanging, body, key(hanging)), invoke(other, queued, body, key(queued))];
    const [startedLate] = await Promise.all(again.slice(1));
    expect(startedLate).toMatchObject({ status: 200, invocation: { status: 'succeeded' } });
    await target.release();
    const replies = await Promise.all([waiting, ...again.slice(0, 1)]);
    for (const { status, invocation } of replies) {
      expect(status).toBe(200);
      expect(invocation).toMatchObject({ status: 'succeeded', grade: 'acknowledged' });
    }
    expect(replies[1]?.invocation).toEqual(replies[0]?.invocation);

    expect(await sentTo(target, HANGING)).toBe(1);
    expect(await sentTo(target, QUEUED)).toBe(1);
    expect(await invocationsOf(hanging)).toHaveLength(1);
    expect(await invocationsOf(queued)).toHaveLength(1);

    await theSweepStarts(lost);
  });
});

/** Nobody retries the third one. The worker's schedule finds it once it is old enough to count as lost. */
async function theSweepStarts(action: string): Promise<void> {
  const [lost] = await invocationsOf(action);
  expect(lost).toMatchObject({ status: 'queued' });
  await processes.database.asOwner(`UPDATE workflow_starts SET due_at = now() WHERE id = '${lost?.id}'`);
  const connection = await Connection.connect({ address: processes.temporal.address });
  await new Client({ connection }).schedule.getHandle(SWEEP_SCHEDULE_ID).trigger();
  await connection.close();
  const now = async () => invocationIn(await other.get(`/api/v2/actions/invocations/${lost?.id}`)).status;
  await expect.poll(now).toBe('succeeded');
  expect(await sentTo(target, LOST)).toBe(1);
}
