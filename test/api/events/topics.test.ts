import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createdSubscriptionSchema, topicSchema } from '../../../api/events/schemas.ts';
import { deleteDeletedTopics } from '../../../db/events/directory.ts';
import { TOPICS_PER_ENVIRONMENT_MAX } from '../../../domain/events/topics.ts';
import { newId } from '../../../domain/ids.ts';
import { type CallResult, startTestApi } from '../harness/test-api.ts';
import { dataOf, errorOf } from '../invocations/support.ts';

const api = await startTestApi({ taskQueue: 'nobody-polls' });
const { key } = await api.createKey(api.database.tenant);

const HOOK = 'https://example.com/hook';
const call = (method: string, path: string, body?: unknown, as = key): Promise<CallResult> =>
  api.call(method, `/api/v2/events${path}`, { key: as, body });
const topicIn = (reply: CallResult) => dataOf(reply, topicSchema);
const create = async (as = key) => topicIn(await call('POST', '/topics', { name: `orders-${randomUUID()}` }, as));
const subscribe = async (ref: string) =>
  dataOf(await call('POST', `/topics/${ref}/subscriptions`, { url: HOOK }), createdSubscriptionSchema);

describe('a topic', () => {
  test('is found by its id and by its name, changed, and listed', async () => {
    const topic = await create();
    expect(topic).toMatchObject({ id: expect.stringMatching(/^top_/), description: null });
    expect([await call('GET', `/topics/${topic.id}`), await call('GET', `/topics/${topic.name}`)].map(topicIn)).toEqual(
      [topic, topic],
    );
    const changed = topicIn(await call('PATCH', `/topics/${topic.name}`, { description: 'What happens to orders.' }));
    expect(changed).toEqual({ ...topic, description: 'What happens to orders.', updatedAt: changed.updatedAt });
    const found = dataOf(await call('GET', `/topics?name=${topic.name}`), z.array(topicSchema));
    expect(found).toEqual([changed]);
    expect(topicIn(await call('PATCH', `/topics/${topic.id}`, {}))).toEqual(changed);
  });

  test('has a name that no other topic of its environment has, until it is deleted', async () => {
    const [first, second] = [await create(), await create()];
    expect((await call('POST', '/topics', { name: first.name })).status).toBe(409);
    const taken = await call('PATCH', `/topics/${second.id}`, { name: first.name });
    expect([taken.status, errorOf(taken).message]).toEqual([409, expect.stringContaining(first.name)]);
    const { key: elsewhere } = await api.createKey(api.database.tenants.staging);
    expect((await call('POST', '/topics', { name: first.name }, elsewhere)).status).toBe(201);
    expect((await call('DELETE', `/topics/${first.name}`)).json).toEqual({ success: true, data: { deleted: true } });
    expect(topicIn(await call('PATCH', `/topics/${second.id}`, { name: first.name })).name).toBe(first.name);
  });

  test.each([
    ['no name', {}],
    ['an empty name', { name: '' }],
    ['a name of 101 characters', { name: 'x'.repeat(101) }],
    ['a name with a space', { name: 'paid orders' }],
    ['a name that begins with a hyphen', { name: '-orders' }],
    ['a name in the form of an id', { name: newId('topic') }],
    ['the reserved name', { name: 'service' }],
  ])('400: %s', async (_, body) => {
    const reply = await call('POST', '/topics', body);
    expect(reply.status).toBe(400);
    expect(errorOf(reply).details).toEqual({ issues: [expect.objectContaining({ path: 'body.name' })] });
  });

  test('402: there are as many as there may be', async () => {
    const { key: elsewhere } = await api.createKey(api.database.tenants.production);
    await api.database.asOwner(
      `INSERT INTO topics (id, environment_id, name) SELECT 'top_' || n, $1, 'topic-' || n FROM generate_series(1, $2::integer) n`,
      [api.database.tenants.production.environmentId, TOPICS_PER_ENVIRONMENT_MAX],
    );
    const reply = await call('POST', '/topics', { name: 'one-more' }, elsewhere);
    expect([reply.status, errorOf(reply).code]).toEqual([402, 'QUOTA_EXCEEDED']);
  });

  test('404 with names that may have been meant', async () => {
    const { name } = await create();
    const reply = await call('GET', `/topics/${name.replace('orders', 'order')}`);
    expect([reply.status, errorOf(reply).message]).toEqual([404, expect.stringContaining(name)]);
  });
});

describe('a topic that is deleted', () => {
  test('takes its subscriptions and events with it: none is found, and their rows go in steps', async () => {
    const { id, name } = await create();
    const { id: subscriptionId } = await subscribe(id);
    const published = await call('POST', '', { topic: name, type: 'order.paid', data: {}, id: 'order-1' });
    const { eventId } = dataOf(published, z.looseObject({ eventId: z.string() }));
    expect((await call('DELETE', `/topics/${id}`)).status).toBe(200);

    const gone = [
      await call('GET', `/topics/${id}`),
      await call('GET', `/topics/${name}/subscriptions`),
      await call('PATCH', `/subscriptions/${subscriptionId}`, { enabled: false }),
      await call('DELETE', `/subscriptions/${subscriptionId}`),
      await call('POST', `/subscriptions/${subscriptionId}/rotate-secret`, {}),
      await call('GET', `/${eventId}`),
      await call('DELETE', `/topics/${id}`),
    ];
    expect(gone.map(({ status }) => status)).toEqual(gone.map(() => 404));
    const listed = dataOf(await call('GET', '?type=order.paid'), z.array(z.looseObject({ eventId: z.string() })));
    expect(listed.map((event) => event.eventId)).not.toContain(eventId);

    const rows = async () => {
      const [count] = await api.database.asOwner(
        `SELECT (SELECT count(*)::int FROM topics WHERE id = $1) AS topics,
           (SELECT count(*)::int FROM event_subscriptions WHERE topic_id = $1) AS subscriptions,
           (SELECT count(*)::int FROM events WHERE topic_id = $1) AS events`,
        [id],
      );
      return count;
    };
    expect(await deleteDeletedTopics(api.database.db)).toBeGreaterThan(0);
    expect(await rows()).toEqual({ topics: 1, subscriptions: 1, events: 0 });
    // Deliveries that are being made may still need the subscription for a minute.
    await api.database.asOwner(
      `UPDATE event_subscriptions SET deleted_at = now() - interval '2 minutes' WHERE topic_id = $1`,
      [id],
    );
    for (let deleted = 1; deleted > 0;) deleted = await deleteDeletedTopics(api.database.db);
    expect(await rows()).toEqual({ topics: 0, subscriptions: 0, events: 0 });
  });
});

describe('the reserved topic', () => {
  test('is made by its first subscriptions, once, and is neither changed nor deleted', async () => {
    expect((await call('GET', '/topics/service')).status).toBe(404);
    const made = await Promise.all([1, 2, 3].map(() => subscribe('service')));
    expect(new Set(made.map(({ topicId }) => topicId)).size).toBe(1);
    const topic = topicIn(await call('GET', '/topics/service'));
    expect(topic).toMatchObject({ id: made[0]?.topicId, name: 'service' });
    const rows = await api.database.asOwner('SELECT DISTINCT of_service FROM event_subscriptions WHERE topic_id = $1', [
      topic.id,
    ]);
    expect(rows).toEqual([{ of_service: true }]);
    const refused = [
      await call('DELETE', '/topics/service'),
      await call('DELETE', `/topics/${topic.id}`),
      await call('PATCH', '/topics/service', { name: 'mine' }),
      await call('POST', '', { topic: 'service', type: 'effect.settled', data: {} }),
      await call('POST', '', { topic: topic.id, type: 'effect.settled', data: {} }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400]);
    expect(topicIn(await call('GET', '/topics/service'))).toEqual(topic);
  });
});
