import { WorkflowNotFoundError } from '@temporalio/client';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { keySchema, statusSchema } from '../../../api/flow-control/schemas.ts';
import { startTestService } from '../../harness/service.ts';
import { dataOf } from '../invocations/support.ts';
import { publish, read, statusOf } from '../messages/support.ts';
import { HeldDestination } from './held-destination.ts';

let destination: HeldDestination;
const service = await startTestService();
beforeEach(async () => {
  destination = await new HeldDestination().start();
});
afterEach(() => destination.close());

let keys = 0;
const newKey = (): string => `key-${keys++}`;

type FlowControl = Record<string, unknown> & { key: string };

/** Publishes the numbers from..to as messages of the key, in one batch. */
async function publishAll(flowControl: FlowControl, from: number, to: number, more: object = {}): Promise<string[]> {
  const messages = Array.from({ length: to - from + 1 }, (_, n) => ({
    url: destination.url,
    body: String(from + n),
    flowControl,
    ...more,
  }));
  const reply = await service.post('/api/v2/messages/batch', { messages });
  expect([reply.status, reply.text]).toEqual([200, reply.text]);
  return (reply.json as { data: { messageId: string }[] }).data.map(({ messageId }) => messageId);
}

async function keyOf(key: string): Promise<z.infer<typeof keySchema>> {
  const reply = await service.get(`/api/v2/flow-control?key=${key}`);
  const [found] = dataOf(reply, keySchema.array());
  if (found === undefined) throw new Error(`there is no key ${key}`);
  return found;
}

async function operate(key: string, operation: string, body?: object): Promise<z.infer<typeof keySchema>> {
  const { id } = await keyOf(key);
  return dataOf(await service.post(`/api/v2/flow-control/${id}/${operation}`, body), keySchema);
}

async function hasWorkflow(workflowId: string): Promise<boolean> {
  try {
    const { status } = await service.client.workflow.getHandle(workflowId).describe();
    return status.name === 'RUNNING';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}

const numbers = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, n) => String(from + n));
async function allEnded(ids: readonly string[], status = 'delivered'): Promise<void> {
  await expect
    .poll(async () => new Set(await Promise.all(ids.map((id) => statusOf(service, id)))))
    .toEqual(new Set([status]));
}

describe('messages of a flow-control key', () => {
  test('are sent in order, never more at once than its parallelism, and without a workflow', async () => {
    const key = newKey();
    const ids = await publishAll({ key, parallelism: 2 }, 1, 8);
    await expect.poll(() => destination.inFlight).toBe(2);
    expect(await keyOf(key)).toMatchObject({ parallelism: 2, rate: null, waiting: 6, inFlight: 2 });
    expect(await read(service, ids[7] ?? '')).toMatchObject({ flowControlKey: key, status: 'pending' });
    for (let answered = 1; answered <= 6; answered++) {
      destination.answerNext();
      await expect.poll(() => destination.arrived.length).toBe(answered + 2);
    }
    destination.answerAll();
    await allEnded(ids);
    // The first claim is of two, which are sent at once. After it each answer lets one through.
    expect(destination.arrived.slice(0, 2).toSorted()).toEqual(numbers(1, 2));
    expect(destination.arrived.slice(2)).toEqual(numbers(3, 8));
    expect(destination.mostInFlight).toBe(2);
    expect(await keyOf(key)).toMatchObject({ waiting: 0, inFlight: 0 });
    expect(await Promise.all(ids.map((id) => hasWorkflow(`message/${id}`)))).toEqual(ids.map(() => false));
  });

  test('are sent by the rate, window after window', async () => {
    const key = newKey();
    const ids = await publishAll({ key, rate: 3, periodSeconds: 2, parallelism: 20 }, 1, 8);
    await expect.poll(() => destination.arrived.toSorted()).toEqual(numbers(1, 8));
    // By the clock of the claims: on a busy machine a call of one window may arrive after those of the next.
    const claimed = await service.database.asOwner<{ id: string; seconds: number }>(
      `SELECT message_id AS id, extract(epoch FROM started_at - min(started_at) OVER ())::float8 AS seconds
       FROM message_attempts WHERE message_id = ANY ($1) ORDER BY started_at, message_id`,
      [ids],
    );
    expect(claimed.map(({ id }) => id)).toEqual(ids);
    const [first, , third, fourth, , sixth, seventh] = claimed.map(({ seconds }) => seconds);
    expect([first, third]).toEqual([0, 0]);
    expect(fourth).toBeGreaterThan(1.5); // a transaction begins a little before its claim
    expect(sixth).toBe(fourth);
    expect(seventh).toBeGreaterThan(3.5);
    destination.answerAll();
    await allEnded(ids);
  });

  test('that are due later come when it is time', async () => {
    const key = newKey();
    destination.answerAll();
    const later = { url: destination.url, body: 'later', delay: 3, flowControl: { key } };
    const { messageId, status } = await publish(service, later);
    expect([status, destination.arrived]).toEqual(['scheduled', []]);
    await allEnded([messageId]);
  });

  test('wait through a pause, which loses nothing, and keep their order', async () => {
    const key = newKey();
    await service.post('/api/v2/flow-control', { key, parallelism: 1 });
    expect((await operate(key, 'pause')).paused).toBe(true);
    const ids = await publishAll({ key }, 1, 3);
    ids.push((await publish(service, { url: destination.url, body: '4', flowControl: { key } })).messageId);
    expect(await keyOf(key)).toMatchObject({ paused: true, waiting: 4, inFlight: 0 });
    destination.answerAll();
    expect((await operate(key, 'resume')).paused).toBe(false);
    await allEnded(ids);
    expect(destination.arrived).toEqual(numbers(1, 4));
  });

  test('change the limits of their key, unless these are pinned', async () => {
    const key = newKey();
    destination.answerAll();
    const send = (limits: object) => publish(service, { url: destination.url, flowControl: { key, ...limits } });
    await send({ rate: 100, periodSeconds: 10, parallelism: 5 });
    expect(await keyOf(key)).toMatchObject({ rate: 100, periodSeconds: 10, parallelism: 5 });
    await send({ parallelism: 6 });
    await send({});
    expect(await keyOf(key)).toMatchObject({ rate: 100, periodSeconds: 10, parallelism: 6 });
    expect(await operate(key, 'pin', { parallelism: 9 })).toMatchObject({
      parallelism: 9,
      pinned: { rate: false, parallelism: true },
    });
    await send({ rate: 200, parallelism: 7 });
    expect(await keyOf(key)).toMatchObject({ rate: 200, periodSeconds: 1, parallelism: 9 });
    expect((await operate(key, 'pin')).pinned).toEqual({ rate: true, parallelism: true });
    await send({ rate: 300, parallelism: 7 });
    expect(await keyOf(key)).toMatchObject({ rate: 200, parallelism: 9 });
    expect((await operate(key, 'unpin', { rate: true })).pinned).toEqual({ rate: false, parallelism: true });
    await operate(key, 'unpin');
    expect(await keyOf(key)).toMatchObject({ rate: 200, parallelism: 9 }); // until a message brings others
    await send({ rate: 400, parallelism: 8 });
    expect(await keyOf(key)).toMatchObject({ rate: 400, parallelism: 8 });
  });

  test('a reset of the rate and a higher parallelism let them through at once', async () => {
    const key = newKey();
    const ids = await publishAll({ key, rate: 1, periodSeconds: 3_600, parallelism: 1 }, 1, 3);
    await expect.poll(() => destination.arrived).toEqual(['1']);
    await operate(key, 'reset-rate');
    const { id } = await keyOf(key);
    await service.call('PATCH', `/api/v2/flow-control/${id}`, { key: service.key, body: { parallelism: 2 } });
    await expect.poll(() => destination.arrived).toEqual(['1', '2']);
    const status = dataOf(await service.get(`/api/v2/flow-control/${id}/status`), statusSchema);
    expect(status).toMatchObject({ waiting: 1, due: 1, windowCount: 1, inFlight: 2, halted: false });
    destination.answerAll();
    await operate(key, 'reset-rate');
    await allEnded(ids);
  });

  test('a 429 with Retry-After holds the others too', async () => {
    const key = newKey();
    const ids = await publishAll({ key, parallelism: 1 }, 1, 3, { retryDelay: '0' });
    await expect.poll(() => destination.inFlight).toBe(1);
    const answeredMs = Date.now();
    destination.answerNext(429, { 'Retry-After': '3' });
    destination.answersAtOnce = true;
    await expect.poll(async () => (await keyOf(key)).heldUntil).not.toBeNull();
    expect(await keyOf(key)).toMatchObject({ waiting: 3, inFlight: 0 });
    expect(await read(service, ids[0] ?? '')).toMatchObject({ status: 'processing', responseStatus: 429 });
    await allEnded(ids);
    expect(Date.now() - answeredMs).toBeGreaterThan(2_900);
    expect(destination.arrived).toHaveLength(4);
    expect((await read(service, ids[0] ?? '')).attempts).toBe(2);
  });

  test('a resume ends a hold that a destination asked for', async () => {
    const key = newKey();
    const ids = await publishAll({ key, parallelism: 1 }, 1, 2, { retryDelay: '0' });
    await expect.poll(() => destination.inFlight).toBe(1);
    destination.answerNext(429, { 'Retry-After': '3600' });
    destination.answersAtOnce = true;
    await expect.poll(async () => (await keyOf(key)).heldUntil).not.toBeNull();
    await operate(key, 'resume');
    expect((await keyOf(key)).heldUntil).toBeNull();
    await expect.poll(async () => (await read(service, ids[1] ?? '')).status).toBe('delivered');
  });

  test('one that is cancelled while it waits is not sent, and holds nobody up', async () => {
    const key = newKey();
    const [first = '', second = '', third = ''] = await publishAll({ key, parallelism: 1 }, 1, 3);
    await expect.poll(() => destination.inFlight).toBe(1);
    const cancel = async (id: string) =>
      (await service.call('DELETE', `/api/v2/messages/${id}`, { key: service.key })).status;
    expect([await cancel(second), await cancel(first)]).toEqual([200, 409]);
    destination.answerAll();
    await allEnded([first, third]);
    expect(destination.arrived).toEqual(['1', '3']);
  });
});

test('of a worker that is lost while it sends, the lease ends and the attempt counts as lost', async () => {
  const key = newKey();
  const ids = await publishAll({ key, parallelism: 1 }, 1, 2, { maxRetries: 0 });
  await expect.poll(() => destination.inFlight).toBe(1);
  await service.database.asOwner(
    `UPDATE lane_queue SET claim = 'lost', lease_until = now() - interval '1 second' WHERE message_id = $1`,
    [ids[0]],
  );
  // The lost attempt is made again in its turn; the call that nobody waits for ends unheard.
  await expect.poll(() => destination.arrived.length).toBeGreaterThanOrEqual(2);
  destination.answerAll();
  await allEnded(ids);
  const statuses = `SELECT status FROM message_attempts WHERE message_id = $1 ORDER BY number`;
  expect(await service.database.asOwner(statuses, [ids[0]])).toEqual([
    { status: 'abandoned' },
    { status: 'completed' },
  ]);
});

test('a halt holds them all, and the resumption lets them through in order', async () => {
  const key = newKey();
  const { workspaceId, environmentId } = service.database.tenant;
  const set = (what: 'halt' | 'resume', body: object) =>
    service.post(`/api/v2/workspaces/${workspaceId}/environments/${environmentId}/${what}`, body);
  const [first = ''] = await publishAll({ key, parallelism: 1 }, 1, 1);
  await expect.poll(() => destination.inFlight).toBe(1);
  await set('halt', { reason: 'an incident' });
  const ids = [first, ...(await publishAll({ key }, 2, 4))];
  destination.answerAll();
  await expect.poll(() => statusOf(service, first)).toBe('delivered');
  expect(await keyOf(key)).toMatchObject({ waiting: 3, inFlight: 0 });
  expect(destination.arrived).toEqual(['1']);
  await set('resume', {});
  await allEnded(ids);
  expect(destination.arrived).toEqual(numbers(1, 4));
});
