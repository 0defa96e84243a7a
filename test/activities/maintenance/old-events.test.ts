import { pino } from 'pino';
import { expect, test } from 'vitest';
import { OLD_EVENT_STEPS } from '../../../activities/maintenance/expired-rows.ts';
import { sweepSteps } from '../../../activities/maintenance/sweep-steps.ts';
import { insertMessages } from '../../../db/messages/insert-messages.ts';
import { newId } from '../../../domain/ids.ts';
import { plainMessage } from '../../db/messages/plain-message.ts';
import { createTestDatabase } from '../../harness/database.ts';

/** The sweep of events over real rows, as the role that it has in operation. */

const database = await createTestDatabase();

const owner = (sql: string, values: unknown[] = []) => database.asOwner<{ id: string }>(sql, values);
const idsOf = async (table: string): Promise<string[]> =>
  (await owner(`SELECT id FROM ${table} ORDER BY id`)).map(({ id }) => id);
const sweep = async (): Promise<number> => {
  const dependencies = { db: database.db, logger: pino({ level: 'silent' }) };
  const { seen, failed } = await sweepSteps(dependencies, 'old-events', OLD_EVENT_STEPS);
  expect(failed).toBe(0);
  return seen;
};

async function plantTopic(id: string, deleted = false): Promise<void> {
  const { environmentId } = database.tenant;
  const deletedAt = deleted ? `now() - interval '1 hour'` : 'NULL';
  await owner(`INSERT INTO topics (id, environment_id, name, deleted_at) VALUES ($1, $2, $1, ${deletedAt})`, [
    id,
    environmentId,
  ]);
}

/** Fanned out where it was created `ago`, if `ended`. */
async function plantEvent(id: string, topic: string, ago: string, ended = true): Promise<void> {
  await owner(
    `INSERT INTO events (id, environment_id, topic_id, public_id, type, data, occurred_at, published_by, retention, status,
       created_at, fanned_out_at)
     SELECT $1, $2, $3, $1, 'order.paid', '{}', at, '{}', 'week', CASE WHEN $5 THEN 'fanned_out' ELSE 'fanning_out' END,
       at, CASE WHEN $5 THEN at END FROM (SELECT now() - $4::interval AS at) t`,
    [id, database.tenant.environmentId, topic, ago, ended],
  );
}

async function plantSubscription(id: string, topic: string, deletedAgo: string | null): Promise<void> {
  const { environmentId } = database.tenant;
  await owner(
    `INSERT INTO event_subscriptions (id, environment_id, topic_id, of_service, url, event_types, deleted_at)
     VALUES ($1, $2, $3, false, 'https://example.com/hook', '{*}', now() - $4::interval)`,
    [id, environmentId, topic, deletedAgo],
  );
  await owner(
    `INSERT INTO event_subscription_secrets (id, environment_id, subscription_id, master_key_version, wrapped_data_key, sealed_value)
     VALUES ($1, $2, $3, 1, '', '')`,
    [`secret_of_${id}`, environmentId, id],
  );
}

test('an old event that was fanned out goes; a young one and one that is under way stay', async () => {
  await plantTopic('top_live');
  await plantEvent('evt_old_1', 'top_live', '400 days');
  await plantEvent('evt_old_2', 'top_live', '400 days');
  await plantEvent('evt_young', 'top_live', '1 hour');
  await plantEvent('evt_under_way', 'top_live', '400 days', false);
  expect(await sweep()).toBe(2);
  expect(await idsOf('events')).toEqual(['evt_under_way', 'evt_young']);
  expect(await sweep()).toBe(0);
});

test('a deleted topic goes with its events and subscriptions; one whose message is under way keeps its secret until then', async () => {
  await plantTopic('top_gone', true);
  await plantEvent('evt_of_gone', 'top_gone', '1 hour');
  await plantSubscription('sub_gone', 'top_gone', '1 hour');
  await plantSubscription('sub_busy', 'top_gone', '1 hour');
  await plantSubscription('sub_removed', 'top_live', '1 hour');
  await plantSubscription('sub_just_removed', 'top_live', '-1 hour');
  await plantSubscription('sub_live', 'top_live', null);
  const messageId = newId('message');
  const event = { id: 'evt_of_gone', subscriptionId: 'sub_busy' };
  await database.db.withEnvironment(database.tenant, (tx) =>
    insertMessages(tx, [plainMessage({ id: messageId, kind: 'event', event })]),
  );

  expect(await sweep()).toBe(3); // an event and two subscriptions
  expect(await idsOf('event_subscriptions')).toEqual(['sub_busy', 'sub_just_removed', 'sub_live']);
  expect(await idsOf('event_subscription_secrets')).toEqual(
    ['sub_busy', 'sub_just_removed', 'sub_live'].map((id) => `secret_of_${id}`),
  );
  expect(await idsOf('topics')).toEqual(['top_gone', 'top_live']);
  expect(await idsOf('events')).not.toContain('evt_of_gone');

  await owner(
    `SET session_replication_role = 'replica'; UPDATE messages SET status = 'delivered', delivered_at = now() WHERE id = '${messageId}'`,
  );
  expect(await sweep()).toBe(2); // the last subscription and the topic
  expect(await idsOf('topics')).toEqual(['top_live']);
  expect(await idsOf('event_subscriptions')).toEqual(['sub_just_removed', 'sub_live']);
  expect(await idsOf('events')).toEqual(['evt_under_way', 'evt_young']);
  expect(await sweep()).toBe(0);
});
