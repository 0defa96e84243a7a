import { beforeAll, expect, test } from 'vitest';
import { fanOutPage } from '../../../activities/events/fan-out-page.ts';
import { publishToService } from '../../../activities/events/publish-to-service.ts';
import { insertEvent } from '../../../db/events/publishing.ts';
import { lockRaisedEvents } from '../../../db/events/directory.ts';
import { updateSubscription } from '../../../db/events/subscriptions.ts';
import type { EventRef, FanOutStep } from '../../../domain/events/events.ts';
import { newId } from '../../../domain/ids.ts';
import { subscribeToService } from '../../api/events/support.ts';
import { plantRaised } from '../../db/events/plant-raised.ts';
import { activityEnvironment, ActivityWorld } from '../invocations/world.ts';

const topicId = newId('topic');
const world = await ActivityWorld.start();

/** In the order of their ids: what each listens to, and whether it is enabled. */
const SUBSCRIPTIONS: [id: string, patterns: string[], enabled: boolean][] = [
  ['sub_1', ['order.*'], true],
  ['sub_2', ['user.*'], true],
  ['sub_3', ['order.paid'], false],
  ['sub_4', ['*'], true],
  ['sub_5', ['user.*', 'order.paid'], true],
];

const publishedBy = { type: 'api_key', id: null } as const;

beforeAll(async () => {
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
});

async function publishedEvent(): Promise<EventRef> {
  const given = { topicId, ownId: null, type: 'order.paid', data: '{}', occurredAt: new Date() };
  const event = await world.transaction((tx) => insertEvent(tx, { ...given, publishedBy, isHeard: true }));
  return { eventId: event?.id ?? '', ...world.database.tenant };
}

/** The database's clock has moved on by what its moments are kept to. */
const laterMillisecond = () =>
  world.database.asOwner(`DO $$ DECLARE until timestamptz := clock_timestamp() + interval '2 ms';
    BEGIN WHILE clock_timestamp() < until LOOP NULL; END LOOP; END $$`);

const messagesOf = ({ eventId }: EventRef) =>
  world.database.asOwner<{ id: string; subscription_id: string; published_by: object }>(
    'SELECT id, subscription_id, published_by FROM messages WHERE event_id = $1 ORDER BY subscription_id',
    [eventId],
  );

test('each subscription that matches gets one message, page by page, ready in its lane with the page', async () => {
  const ref = await publishedEvent();
  const page = () => activityEnvironment().run(fanOutPage(world.dependencies(), 2), ref) as Promise<FanOutStep>;
  const steps = [await page(), await page(), await page(), await page()];
  expect(steps.slice(0, 3)).toEqual(Array.from({ length: 3 }, () => ({ next: 'go on' })));
  expect(steps[3]).toEqual({ next: 'end', status: 'fanned_out', deliveries: 3 });
  expect(await page()).toEqual({ next: 'end', status: 'fanned_out', deliveries: 3 });

  const messages = await messagesOf(ref);
  expect(messages.map(({ subscription_id: id }) => id)).toEqual(['sub_1', 'sub_4', 'sub_5']);
  expect(messages.map((message) => message.published_by)).toEqual(messages.map(() => publishedBy));
  const queued = await world.database.asOwner(
    'SELECT state, has_workflow FROM lane_queue WHERE message_id = ANY($1) AND due_at <= now()',
    [messages.map(({ id }) => id)],
  );
  expect(queued).toEqual(messages.map(() => ({ state: 'ready', has_workflow: false })));
});

test('a subscription that is enabled, or made, after an event was published does not get it', async () => {
  const enable = (id: string, enabled: boolean) =>
    world.transaction((tx) =>
      updateSubscription(tx, { id, url: 'https://example.com/hook', eventTypes: ['*'], enabled }),
    );
  const targets = async (ref: EventRef) => {
    const deps = world.dependencies();
    await activityEnvironment().run(fanOutPage(deps), ref);
    return (await messagesOf(ref)).map(({ subscription_id: id }) => id);
  };
  await enable('sub_4', false);
  const during = await publishedEvent();
  await laterMillisecond();
  await enable('sub_4', true);
  await world.database.asOwner(
    `INSERT INTO event_subscriptions (id, environment_id, topic_id, of_service, url, event_types)
     SELECT 'sub_9', environment_id, topic_id, of_service, url, event_types FROM event_subscriptions WHERE id = 'sub_4'`,
  );
  expect(await targets(during)).toEqual(['sub_1', 'sub_5']);
  // A change of one that is enabled leaves it enabled since then.
  const after = await publishedEvent();
  await laterMillisecond();
  await enable('sub_4', true);
  expect(await targets(after)).toEqual(['sub_1', 'sub_4', 'sub_5', 'sub_9']);
  await world.database.asOwner(`UPDATE event_subscriptions SET deleted_at = now() WHERE id = 'sub_9'`);
});

test('a platform event goes to the subscriptions that were enabled when it was raised, and not when it was relayed', async () => {
  const { tenant } = world.database;
  const early = await subscribeToService(world.database);
  await laterMillisecond();
  await plantRaised(world.database, ['action.created']);
  await laterMillisecond();
  await world.database.asOwner(
    `INSERT INTO event_subscriptions (id, environment_id, topic_id, of_service, url, event_types)
     SELECT 'sub_late', environment_id, topic_id, of_service, url, event_types FROM event_subscriptions WHERE id = $1`,
    [early],
  );
  await laterMillisecond();
  const followUps = await world.transaction(async (tx) => publishToService(tx, tenant, await lockRaisedEvents(tx, 10)));
  expect(followUps).toHaveLength(1);
  const ref = { ...tenant, eventId: followUps[0]?.ids['eventId'] ?? '' };
  const deps = world.dependencies();
  await activityEnvironment().run(fanOutPage(deps), ref);
  expect((await messagesOf(ref)).map(({ subscription_id: id }) => id)).toEqual([early]);
});

test('a subscription whose headers do not open gets no message, holds up no other, and the event says so', async () => {
  const seal = `UPDATE event_subscriptions SET master_key_version = $1, wrapped_data_key = $2, sealed_value = $2 WHERE id = 'sub_1'`;
  await world.database.asOwner(seal, [99, Buffer.from('x')]);
  const ref = await publishedEvent();
  const deps = world.dependencies();
  const page = () => activityEnvironment().run(fanOutPage(deps, 2), ref) as Promise<FanOutStep>;
  const steps = [await page(), await page(), await page(), await page()];
  await world.database.asOwner(seal, [null, null]);
  expect(steps.at(-1)).toEqual({ next: 'end', status: 'failed', deliveries: 2 });
  expect((await messagesOf(ref)).map(({ subscription_id: id }) => id)).toEqual(['sub_4', 'sub_5']);
  const [event] = await world.database.asOwner('SELECT status, error FROM events WHERE id = $1', [ref.eventId]);
  expect(event).toEqual({
    status: 'failed',
    error: {
      code: 'INTERNAL_ERROR',
      message: '1 subscription got no message: its sealed headers do not open. Give them anew.',
    },
  });
});
