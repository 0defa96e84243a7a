import { afterAll, beforeAll, expect, test } from 'vitest';
import { fanOutPage } from '../../../activities/events/fan-out-page.ts';
import { insertEvent } from '../../../db/events/insert-event.ts';
import type { FanOutStep } from '../../../domain/events/events.ts';
import { newId } from '../../../domain/ids.ts';
import { activityEnvironment, ActivityWorld } from '../invocations/world.ts';

let world: ActivityWorld;
const topicId = newId('topic');
beforeAll(async () => {
  world = await ActivityWorld.start();
});
afterAll(() => world.close());

/** In the order of their ids: what each listens to, and whether it is enabled. */
const SUBSCRIPTIONS: [id: string, patterns: string[], enabled: boolean][] = [
  ['sub_1', ['order.*'], true],
  ['sub_2', ['user.*'], true],
  ['sub_3', ['order.paid'], false],
  ['sub_4', ['*'], true],
  ['sub_5', ['user.*', 'order.paid'], true],
];

test('each subscription that matches gets one message, page by page, also where the starts of a page fail once', async () => {
  const { environmentId } = world.database.tenant;
  await world.database.asOwner(`INSERT INTO topics (id, environment_id, name) VALUES ($1, $2, 'orders')`, [
    topicId,
    environmentId,
  ]);
  for (const [id, patterns, enabled] of SUBSCRIPTIONS) {
    await world.database.asOwner(
      `INSERT INTO event_subscriptions (id, environment_id, topic_id, of_service, url, event_types, enabled)
       VALUES ($1, $2, $3, false, 'https://example.com/hook', $4, $5)`,
      [id, environmentId, topicId, patterns, enabled],
    );
  }
  const given = { topicId, ownId: null, type: 'order.paid', data: '{}', occurredAt: new Date() };
  const publishedBy = { type: 'api_key', id: null } as const;
  const event = await world.transaction((tx) => insertEvent(tx, { ...given, publishedBy }));
  const ref = { eventId: event?.id ?? '', ...world.database.tenant };

  const woken: string[] = [];
  let failures = 1;
  const deps = world.dependencies({
    beginMessage: ({ messageId }) => {
      if (failures-- > 0) return Promise.reject(new Error('Temporal cannot be reached'));
      woken.push(messageId);
      return Promise.resolve();
    },
  });
  const page = () => activityEnvironment().run(fanOutPage(deps, 2), ref) as Promise<FanOutStep>;
  await expect(page()).rejects.toThrow('Temporal cannot be reached');
  const steps = [await page(), await page(), await page()];
  expect(steps).toEqual([{ next: 'go on' }, { next: 'go on' }, { next: 'end', status: 'fanned_out', deliveries: 3 }]);
  expect(await page()).toEqual({ next: 'end', status: 'fanned_out', deliveries: 3 });

  const messages = await world.database.asOwner<{ id: string; subscription_id: string }>(
    'SELECT id, subscription_id FROM messages WHERE event_id = $1 ORDER BY subscription_id',
    [ref.eventId],
  );
  expect(messages.map(({ subscription_id: id }) => id)).toEqual(['sub_1', 'sub_4', 'sub_5']);
  expect(woken.toSorted()).toEqual(messages.map(({ id }) => id).toSorted());
});
