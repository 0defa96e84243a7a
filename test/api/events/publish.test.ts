import { createHmac, randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import {
  eventWithDeliveriesSchema,
  listedEventSchema,
  publishedEventSchema,
} from '../../../api/events/event-schemas.ts';
import { startFanOutOf } from '../../../api/starts/event-workflows.ts';
import { createdSubscriptionSchema, rotatedSecretSchema } from '../../../api/events/schemas.ts';
import { batchResultSchema, listedMessageSchema, publishedToTopicSchema } from '../../../api/messages/schemas.ts';
import { publishEvent } from '../../../db/events/publishing.ts';
import { setPlan } from '../../../db/plans/plans.ts';
import { ADMISSION_ESTIMATE_MICROCENTS } from '../../../domain/budgets.ts';
import { EVENT_DATA_BYTES_MAX } from '../../../domain/events/topics.ts';
import { newId } from '../../../domain/ids.ts';
import { PLAN_TABLE } from '../../../domain/plans.ts';
import { SCOPES } from '../../../domain/scopes.ts';
import { relayStarts } from '../../activities/maintenance/relay-starts.ts';
import { PATIENCE_MS, TEST_TIMEOUT_MS } from '../../harness/patience.ts';
import { startTestService } from '../../harness/service.ts';
import { dataOf, errorOf } from '../invocations/support.ts';
import { type Delivered, startDestination } from '../messages/support.ts';
import { rotatedSecret } from '../signing-keys/support.ts';
import { sumUsed } from '../harness/count-rows.ts';

const [service, destination] = await Promise.all([startTestService(), startDestination()]);

const EVENTS = '/api/v2/events';
const WAIT = { timeout: PATIENCE_MS, interval: 100 };
/** The event of a firing would have it. */
const SLOT_ID = `${newId('schedule')}.schedule.2026-11-24T09:00:00.000Z`;
let topics = 0;
const newTopic = async (): Promise<string> => {
  const name = `topic-${++topics}`;
  expect((await service.post(`${EVENTS}/topics`, { name })).status).toBe(201);
  return name;
};
/** Its path at the destination is new. */
async function subscribe(topic: string, body: object = {}) {
  const path = `/${randomUUID()}`;
  const given = { url: destination.baseUrl + path, ...body };
  const reply = await service.post(`${EVENTS}/topics/${topic}/subscriptions`, given);
  return { path, ...dataOf(reply, createdSubscriptionSchema) };
}
const publish = (body: object, headers: Record<string, string> = {}) => service.post(EVENTS, body, headers);
const published = async (body: object) => dataOf(await publish(body), publishedEventSchema);
const eventOf = async (id: string, query = '') =>
  dataOf(await service.get(`${EVENTS}/${id}${query}`), eventWithDeliveriesSchema);
/** The event once all of its deliveries have ended. */
const ended = (id: string, deliveries: number) =>
  vi.waitFor(async () => {
    const event = await eventOf(id);
    expect(event).toMatchObject({ status: 'fanned_out', deliveryCount: deliveries });
    const { delivered, failed } = event.deliveryStatuses;
    expect(delivered + failed).toBe(deliveries);
    return event;
  }, WAIT);
const bodiesAt = (path: string) => destination.on(path).map(({ body }) => JSON.parse(body) as Record<string, unknown>);

describe('an event', { timeout: TEST_TIMEOUT_MS }, () => {
  test('reaches each subscription with a pattern that matches it, and no other', async () => {
    const topic = await newTopic();
    const [all, below, exact] = [
      await subscribe(topic),
      await subscribe(topic, { eventTypes: ['user.*', 'order.*'], headers: { Authorization: 'Bearer of-the-shop' } }),
      await subscribe(topic, { eventTypes: ['order.paid'] }),
    ];
    const others = [
      await subscribe(topic, { eventTypes: ['order'] }),
      await subscribe(topic, { eventTypes: ['order.paid.*'] }),
      await subscribe(topic, { enabled: false }),
      await subscribe(await newTopic()),
    ];
    const data = { z: 1, a: ['ä', null], total: 12.5 };
    const accepted = await published({ topic, type: 'order.paid', data, occurredAt: '2026-11-22T10:00:00+02:00' });
    expect(accepted).toMatchObject({ status: 'fanning_out', deduplicated: false, topic });
    const event = await ended(accepted.eventId, 3);
    expect(event).toMatchObject({ data, publishedBy: { type: 'api_key' }, occurredAt: '2026-11-22T08:00:00.000Z' });
    const { environmentId } = service.database.tenant;
    const body = {
      id: accepted.eventId,
      type: 'order.paid',
      timestamp: '2026-11-22T08:00:00.000Z',
      topic,
      environmentId,
      data,
    };
    for (const { path } of [all, below, exact]) expect(bodiesAt(path)).toEqual([body]);
    for (const { path } of others) expect(bodiesAt(path)).toEqual([]);
    expect(destination.on(below.path)[0]?.headers).toMatchObject({ authorization: 'Bearer of-the-shop' });

    expect(event.deliveries.map(({ subscriptionId }) => subscriptionId).toSorted()).toEqual(
      [all.id, below.id, exact.id].toSorted(),
    );
    const [first] = event.deliveries;
    expect(first).toMatchObject({
      status: 'delivered',
      nextAttemptAt: null,
      attempts: [{ number: 1, responseStatus: 200 }],
    });
    const second = await eventOf(accepted.eventId, '?page=2&limit=2');
    expect(second.deliveries).toEqual(event.deliveries.slice(2));
    expect(second.deliveryPagination).toEqual({ total: 3, page: 2, limit: 2, totalPages: 2, hasMore: false });

    const listed = async (query: string) =>
      dataOf(await service.get(`/api/v2/messages${query}`), z.array(listedMessageSchema)).map((one) => one.messageId);
    const ids = event.deliveries.map(({ messageId }) => messageId);
    expect(await listed('')).not.toEqual(expect.arrayContaining([ids[0]]));
    expect(await listed('?includeEventDeliveries=true')).toEqual(expect.arrayContaining(ids));
  });

  test('that is published twice is delivered once, also by two at the same time', async () => {
    const topic = await newTopic();
    const { path } = await subscribe(topic);
    const id = `order-${randomUUID()}`;
    const replies = await Promise.all([1, 2, 3].map((n) => publish({ topic, type: 'order.paid', data: n, id })));
    expect(replies.map(({ status }) => String(status)).toSorted()).toEqual(['200', '200', '201']);
    const [first, ...others] = replies.map((reply) => dataOf(reply, publishedEventSchema));
    for (const other of others) expect(other).toMatchObject({ eventId: first?.eventId, id, data: first?.data });
    const event = await ended(id, 1);
    expect(event).toMatchObject({ eventId: first?.eventId, id });
    expect(bodiesAt(path)).toEqual([expect.objectContaining({ id })]);
    const otherType = await publish({ topic, type: 'order.refunded', data: 1, id });
    const otherTopic = await publish({ topic: await newTopic(), type: 'order.paid', data: 1, id });
    expect([otherType, otherTopic].map((reply) => [reply.status, errorOf(reply).code])).toEqual([
      [409, 'CONFLICT'],
      [409, 'CONFLICT'],
    ]);
  });

  test('is published once under an Idempotency-Key, and is listed', async () => {
    const topic = await newTopic();
    const headers = { 'Idempotency-Key': randomUUID() };
    const body = { topic, type: 'order.paid', data: { text: 'x'.repeat(10_000) } };
    const [first, again] = [await publish(body, headers), await publish(body, headers)];
    expect(again.text).toBe(first.text);
    const { eventId, createdAt, status } = dataOf(first, publishedEventSchema);
    expect(status).toBe('fanned_out'); // nobody subscribes
    await published({ topic, type: 'order.item.added', data: 1 });
    const list = async (query: string) =>
      dataOf(await service.get(`${EVENTS}?topic=${topic}&${query}`), z.array(listedEventSchema));
    expect(await list('type=order.paid')).toMatchObject([{ eventId, data: { truncated: true, bytes: 10_011 } }]);
    expect((await list('')).map(({ type }) => type)).toEqual(['order.item.added', 'order.paid']);
    expect(await list(`endDate=${createdAt}`)).toEqual([]);
    expect(await list('status=fanning_out')).toEqual([]);
    expect((await service.get(`${EVENTS}?topic=nobody`)).status).toBe(404);
  });

  test.each([
    ['no type', { data: 1 }, 'body.type'],
    ['a type with a space', { type: 'order paid', data: 1 }, 'body.type'],
    ['a type of 129 characters', { type: 'x'.repeat(129), data: 1 }, 'body.type'],
    ['no data', { type: 'a' }, 'body.data'],
    ['more data than is delivered', { type: 'a', data: 'x'.repeat(EVENT_DATA_BYTES_MAX - 1) }, 'body.data'],
    ['an id with a slash', { type: 'a', data: 1, id: 'a/b' }, 'body.id'],
    ['an id of 129 characters', { type: 'a', data: 1, id: 'x'.repeat(129) }, 'body.id'],
    ['an id in the form of ours', { type: 'a', data: 1, id: newId('event') }, 'body.id'],
    ["an id in the form of that of a schedule's event", { type: 'a', data: 1, id: SLOT_ID }, 'body.id'],
    ['a time that is none', { type: 'a', data: 1, occurredAt: 'yesterday' }, 'body.occurredAt'],
    ['a time in year 0', { type: 'a', data: 1, occurredAt: '0000-01-01T00:00:00Z' }, 'body.occurredAt'],
    ['a time in year 10000', { type: 'a', data: 1, occurredAt: '9999-12-31T23:59:59-23:59' }, 'body.occurredAt'],
  ])('400: %s', async (_, body, path) => {
    const reply = await publish({ topic: 'any', ...body });
    expect(reply.status, reply.text).toBe(400);
    expect(errorOf(reply).details).toEqual({ issues: [expect.objectContaining({ path })] });
  });

  test('takes as much data as it says, and any JSON value', async () => {
    const topic = await newTopic();
    expect((await publish({ topic, type: 'a', data: 'x'.repeat(EVENT_DATA_BYTES_MAX - 2) })).status).toBe(201);
    expect((await publish({ topic, type: 'a', data: null })).status).toBe(201);
  });

  test('that nobody hears takes one message of the month and starts nothing; one that is heard takes its deliveries', async () => {
    const used = () => sumUsed(service.database, 'messages');
    const topic = await newTopic();
    await subscribe(topic, { eventTypes: ['never.*', 'order.item'] });
    const before = await used();
    const id = `unheard-${randomUUID()}`;
    expect(await published({ topic, type: 'order.item.added', data: 1, id })).toMatchObject({ status: 'fanned_out' });
    expect(await published({ topic, type: 'order.item.added', data: 1, id })).toMatchObject({ deduplicated: true });
    const messages = [1, 2, 3].map((body) => ({ topic, body, eventType: 'order.item.removed' }));
    expect((await service.post('/api/v2/messages/batch', { messages })).status).toBe(200);
    expect(await used()).toBe(before + 4);
    await subscribe(topic, { eventTypes: ['order.*'] });
    await subscribe(topic, { eventTypes: ['order.item.*'] });
    await ended((await published({ topic, type: 'order.item.added', data: 1 })).eventId, 2);
    expect(await used()).toBe(before + 6);
  });

  test('of a large batch is started with few others at once', async () => {
    let [underWay, most, started] = [0, 0, 0];
    const start = async (): Promise<void> => {
      most = Math.max(most, ++underWay);
      await new Promise((resolve) => setImmediate(resolve));
      underWay--;
      started++;
    };
    const temporal = { withDeadline: (_: number, call: () => Promise<void>) => call(), workflow: { start } };
    const events = Array.from({ length: 95 }, () => ({ id: newId('event'), status: 'fanning_out' as const }));
    const caller = { tenant: service.database.tenant, environment: { name: 'Development' } };
    await startFanOutOf({ temporal: temporal as unknown as Client, taskQueue: 'q' }, caller, events);
    expect([started, most]).toEqual([95, 10]);
  });

  test('that was accepted and not started is fanned out by the sweep', async () => {
    const topic = await newTopic();
    const { path } = await subscribe(topic);
    const publisher = { publishedBy: { type: 'api_key', id: null }, apiKeyId: null, publishesWhileHalted: false };
    const { event } = await service.deps.db.withEnvironment(service.database.tenant, (tx) =>
      publishEvent(tx, publisher, { topic, type: 'order.paid', data: '1', ownId: null, occurredAt: null }),
    );
    await vi.waitFor(async () => {
      await relayStarts({ ...service.deps, ...service.starters }, service.database, 'event');
      expect((await eventOf(event.id)).status).toBe('fanned_out');
    }, WAIT);
    await ended(event.id, 1);
    expect(bodiesAt(path)).toHaveLength(1);
  });
});

describe('publishing is refused', { timeout: TEST_TIMEOUT_MS }, () => {
  test('429 by the budget of the key, which counts each event once', async () => {
    const topic = await newTopic();
    const { key, record } = await service.createKey(service.database.tenant);
    const cost = ADMISSION_ESTIMATE_MICROCENTS.events;
    await service.call('PUT', `/api/v2/budgets/${record.id}`, {
      key: service.key,
      body: { caps: { events: 2 * cost } },
    });
    const send = () => service.call('POST', EVENTS, { key, body: { topic, type: 'a', data: 1 } });
    expect([await send(), await send()].map(({ status }) => status)).toEqual([201, 201]);
    const over = await send();
    expect([over.status, errorOf(over).code]).toEqual([429, 'BUDGET_EXCEEDED']);
  });

  test('402 where no message of the month is left, and an earlier event is still answered', async () => {
    const topic = await newTopic();
    const first = { topic, type: 'a', data: 1, id: `before-${randomUUID()}` };
    expect((await publish(first)).status).toBe(201);
    const { workspaceId } = service.database.tenant;
    await service.database.db.withWorkspace(workspaceId, (tx) => setPlan(tx, 'free'));
    await service.database.asOwner(
      `INSERT INTO monthly_usage (workspace_id, month, allowance, shard, used)
       VALUES ($1, date_trunc('month', now() AT TIME ZONE 'UTC')::date, 'messages', 0, $2)
       ON CONFLICT (workspace_id, month, allowance, shard) DO UPDATE SET used = EXCLUDED.used`,
      [workspaceId, PLAN_TABLE.free.allowances.messages],
    );
    const [refused, again] = [await publish({ topic, type: 'a', data: 1 }), await publish(first)];
    await service.database.asOwner('DELETE FROM monthly_usage');
    await service.database.db.withWorkspace(workspaceId, (tx) => setPlan(tx, 'enterprise'));
    expect([refused.status, errorOf(refused).code, again.status]).toEqual([402, 'QUOTA_EXCEEDED', 200]);
  });

  test('503 while the environment is halted, unless the key holds messages:ingest: then it is delivered afterwards', async () => {
    const topic = await newTopic();
    const { path } = await subscribe(topic);
    const { workspaceId, environmentId } = service.database.tenant;
    const environment = `/api/v2/workspaces/${workspaceId}/environments/${environmentId}`;
    const { key: plain } = await service.createKey(service.database.tenant, {
      scopes: SCOPES.filter((scope) => scope !== 'messages:ingest'),
    });
    await service.post(`${environment}/halt`, { reason: 'an incident' });
    const body = { topic, type: 'a', data: 1 };
    const refused = await service.call('POST', EVENTS, { key: plain, body });
    const kept = await publish(body);
    await service.post(`${environment}/resume`, {});
    expect([refused.status, kept.status]).toEqual([503, 201]);
    await ended(dataOf(kept, publishedEventSchema).eventId, 1);
    expect(bodiesAt(path)).toHaveLength(1);
  });
});

describe('a message to a topic', { timeout: TEST_TIMEOUT_MS }, () => {
  const send = (body: object) => service.post('/api/v2/messages/publish', body);

  test('is an event whose data is the body', async () => {
    const topic = await newTopic();
    const { path } = await subscribe(topic, { eventTypes: ['message', 'order.paid'] });
    const reply = await send({ topic, body: { order: 7 } });
    expect(reply.status).toBe(201);
    const { eventId } = dataOf(reply, publishedToTopicSchema);
    await ended(eventId, 1);
    expect(bodiesAt(path)).toEqual([expect.objectContaining({ id: eventId, type: 'message', data: { order: 7 } })]);
    const typed = dataOf(await send({ topic, body: 'text', eventType: 'order.paid' }), publishedToTopicSchema);
    await ended(typed.eventId, 1);
    expect(bodiesAt(path)[1]).toMatchObject({ type: 'order.paid', data: 'text' });
  });

  test('is an item of a batch, beside messages, each with its result', async () => {
    const topic = await newTopic();
    const url = `${destination.baseUrl}/${randomUUID()}`;
    const messages = [
      { url, delay: '1h' },
      { topic, body: 1 },
      { topic: 'nobody' },
      { url: 'x' },
      { topic: 'service' },
      { url, delay: '1h' },
    ];
    const results = dataOf(await service.post('/api/v2/messages/batch', { messages }), z.array(batchResultSchema));
    expect(results).toEqual([
      expect.objectContaining({ messageId: expect.any(String) }),
      { eventId: expect.stringMatching(/^evt_/), status: 'fanned_out', deduplicated: false },
      { error: expect.objectContaining({ code: 'NOT_FOUND' }) },
      { error: expect.objectContaining({ code: 'VALIDATION_ERROR' }) },
      { error: expect.objectContaining({ code: 'VALIDATION_ERROR' }) },
      expect.objectContaining({ messageId: expect.any(String) }),
    ]);
  });

  test.each([
    ['beside a url', { topic: 'a', url: 'https://example.com' }, 'body.url'],
    ['beside a group', { topic: 'a', urlGroup: 'b' }, 'body.urlGroup'],
    ['with a method', { topic: 'a', method: 'PUT' }, 'body.method'],
    ['with a delay', { topic: 'a', delay: 5 }, 'body.delay'],
    ['an event type without a topic', { url: 'https://example.com', eventType: 'a' }, 'body.eventType'],
    ['neither', { body: 1 }, 'body.url'],
  ])('400: %s', async (_, body, path) => {
    const reply = await send(body);
    expect(reply.status, reply.text).toBe(400);
    expect(errorOf(reply).details).toEqual({ issues: [expect.objectContaining({ path })] });
  });
});

describe('a subscription that fails', { timeout: TEST_TIMEOUT_MS }, () => {
  test('shows its attempts and when the next one is', async () => {
    const topic = await newTopic();
    const { path } = await subscribe(topic);
    destination.answer(path, { status: 503, body: 'not now' });
    const { eventId } = await published({ topic, type: 'a', data: 1 });
    const event = await vi.waitFor(async () => {
      const found = await eventOf(eventId);
      expect(found.deliveries[0]?.attempts[0]?.status).toBe('completed');
      return found;
    }, WAIT);
    expect(event.deliveries[0]).toMatchObject({
      status: 'processing',
      nextAttemptAt: expect.any(String),
      failedAt: null,
    });
    expect(event.deliveries[0]?.attempts[0]).toMatchObject({
      number: 1,
      responseStatus: 503,
      finishedAt: expect.any(String),
    });
  });
});

/** As the Standard Webhooks libraries compute v1. */
function isSignedBy(secret: string, { headers, body }: Delivered): boolean {
  const text = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signature = `v1,${createHmac('sha256', key).update(text).digest('base64')}`;
  return String(headers['webhook-signature']).split(' ').includes(signature);
}

describe('the secrets of a subscription', { timeout: TEST_TIMEOUT_MS }, () => {
  const rotate = async (id: string, gracePeriodSeconds: number): Promise<string> => {
    const reply = await service.post(`${EVENTS}/subscriptions/${id}/rotate-secret`, { gracePeriodSeconds });
    return dataOf(reply, rotatedSecretSchema).secret;
  };
  const endGrace = () =>
    service.database.asOwner(
      `UPDATE event_subscription_secrets SET retires_at = now() - interval '1 second' WHERE retires_at IS NOT NULL`,
    );
  /** Which of these secrets sign the next delivery. */
  async function signing(topic: string, path: string, secrets: string[]): Promise<boolean[]> {
    const { eventId } = await published({ topic, type: 'a', data: 1 });
    await ended(eventId, 1);
    const delivery = destination.on(path).find(({ body }) => body.includes(eventId));
    if (delivery === undefined) throw new Error('the event was not delivered');
    return secrets.map((secret) => isSignedBy(secret, delivery));
  }

  test('old and new sign together in the grace period, and the new one alone after it', async () => {
    const topic = await newTopic();
    const { id, path, secret: first = '' } = await subscribe(topic, { generateSecret: true });
    expect(await signing(topic, path, [first])).toEqual([true]);
    const second = await rotate(id, 3_600);
    expect(await signing(topic, path, [first, second])).toEqual([true, true]);
    await endGrace();
    expect(await signing(topic, path, [first, second])).toEqual([false, true]);
    const third = await rotate(id, 0);
    expect(await signing(topic, path, [first, second, third])).toEqual([false, false, true]);
  });

  test('the keys of the workspace sign beside the first of its own, for as long', async () => {
    const ofWorkspace = await rotatedSecret(service, 0);
    const topic = await newTopic();
    const { id, path } = await subscribe(topic);
    expect(await signing(topic, path, [ofWorkspace])).toEqual([true]);
    const own = await rotate(id, 3_600);
    expect(await signing(topic, path, [ofWorkspace, own])).toEqual([true, true]);
    const next = await rotate(id, 60);
    expect(await signing(topic, path, [ofWorkspace, own, next])).toEqual([true, true, true]);
    await service.database.asOwner('UPDATE event_subscription_secrets SET workspace_keys_until = now()');
    expect(await signing(topic, path, [ofWorkspace, own, next])).toEqual([false, true, true]);
  });
});
