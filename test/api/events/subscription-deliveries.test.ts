import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { subscriptionAttemptSchema, testedSchema } from '../../../api/events/delivery-schemas.ts';
import { ADMISSION_ESTIMATE_MICROCENTS } from '../../../domain/budgets.ts';
import { SCOPES } from '../../../domain/scopes.ts';
import { PATIENCE_MS, TEST_TIMEOUT_MS } from '../../harness/patience.ts';
import { startTestService } from '../../harness/service.ts';
import { dataOf, errorOf } from '../invocations/support.ts';
import { startDestination } from '../messages/support.ts';
import { plantTopicWith } from './plant.ts';

/** The test event of a subscription, and the log of its attempts. */

const [service, destination] = await Promise.all([startTestService(), startDestination()]);

const base = (subscriptionId: string): string => `/api/v2/events/subscriptions/${subscriptionId}`;
const attempts = async (subscriptionId: string, query = '') =>
  dataOf(await service.get(`${base(subscriptionId)}/attempts?${query}`), z.array(subscriptionAttemptSchema));

describe('the test of a subscription', { timeout: TEST_TIMEOUT_MS }, () => {
  test.each([
    ['enabled, with patterns that do not match', true],
    ['disabled', false],
  ])('sends one signed event to this subscription alone: %s', async (what, enabled) => {
    const path = `/tested-${enabled}`;
    const { topicId, subscriptionId } = await plantTopicWith(service.database, {
      url: `${destination.baseUrl}${path}`,
      enabled,
    });
    await service.database.asOwner(
      `INSERT INTO event_subscriptions (id, environment_id, topic_id, of_service, url, event_types)
       SELECT 'sub_other_' || id, environment_id, topic_id, false, $2, '{*}' FROM event_subscriptions WHERE id = $1`,
      [subscriptionId, `${destination.baseUrl}/others`],
    );
    await service.database.asOwner(`UPDATE event_subscriptions SET event_types = '{order.*}' WHERE id = $1`, [
      subscriptionId,
    ]);
    const reply = await service.post(`${base(subscriptionId)}/test`, undefined);
    expect(reply.status, `${what} ${reply.text}`).toBe(201);
    const { eventId, messageId } = dataOf(reply, testedSchema);
    await expect.poll(() => destination.on(path).length, { timeout: PATIENCE_MS }).toBe(1);
    const [sent] = destination.on(path);
    expect(sent?.headers).toMatchObject({
      'webhook-id': messageId,
      'webhook-signature': expect.stringMatching(/^v1,/),
    });
    const body = JSON.parse(sent?.body ?? '') as { topic: string };
    expect(body).toMatchObject({ id: eventId, type: 'subscription.test', data: { subscriptionId } });
    const [event] = await service.database.asOwner(
      'SELECT topic_id, status, deliveries, (SELECT count(*)::int FROM messages WHERE event_id = $1) AS messages FROM events WHERE id = $1',
      [eventId],
    );
    expect(event).toEqual({ topic_id: topicId, status: 'fanned_out', deliveries: 1, messages: 1 });
    expect(destination.on('/others')).toEqual([]);
  });

  test('counts as an event in the budget of its key', async () => {
    const { subscriptionId } = await plantTopicWith(service.database, { url: `${destination.baseUrl}/budget` });
    const { record, key } = await service.createKey(service.database.tenant, { scopes: SCOPES });
    const caps = { events: ADMISSION_ESTIMATE_MICROCENTS.events, messages: 0 };
    await service.call('PUT', `/api/v2/budgets/${record.id}`, { key: service.key, body: { caps } });
    const ask = () => service.call('POST', `${base(subscriptionId)}/test`, { key });
    expect((await ask()).status).toBe(201);
    expect(errorOf(await ask()).code).toBe('BUDGET_EXCEEDED');
  });
});

test(
  'the log shows every attempt of a subscription, newest first, by status and by time',
  async () => {
    const path = '/logged';
    const { subscriptionId } = await plantTopicWith(service.database, { url: `${destination.baseUrl}${path}` });
    destination.answer(path, { status: 410 }, { status: 200 });
    const sent: string[] = [];
    for (const ended of ['failed', 'delivered']) {
      const { messageId } = dataOf(await service.post(`${base(subscriptionId)}/test`, undefined), testedSchema);
      sent.unshift(messageId);
      const status = `SELECT status FROM messages WHERE id = $1`;
      await expect
        .poll(() => service.database.asOwner(status, [messageId]), { timeout: PATIENCE_MS })
        .toEqual([{ status: ended }]);
    }
    const all = await attempts(subscriptionId);
    expect(
      all.map(({ messageId, status, responseStatus, number }) => [messageId, status, responseStatus, number]),
    ).toEqual([
      [sent[0], 'delivered', 200, 1],
      [sent[1], 'failed', 410, 1],
    ]);
    expect(all[1]).toMatchObject({
      eventType: 'subscription.test',
      eventId: expect.stringMatching(/^evt_/),
      errorMessage: 'the destination answered 410',
    });
    expect(await attempts(subscriptionId, 'status=failed')).toEqual([all[1]]);
    expect(await attempts(subscriptionId, 'status=started')).toEqual([]);
    expect(await attempts(subscriptionId, `startDate=${all[1]?.startedAt}`)).toEqual([all[0]]);
    expect(await attempts(subscriptionId, `endDate=${all[0]?.startedAt}`)).toEqual([all[1]]);
    expect(await attempts((await plantTopicWith(service.database)).subscriptionId)).toEqual([]);
  },
  TEST_TIMEOUT_MS,
);
