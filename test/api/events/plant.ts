import { newId } from '../../../domain/ids.ts';
import type { TestDatabase } from '../../harness/database.ts';

type Planting = Pick<TestDatabase, 'asOwner' | 'tenant'>;

/** A topic with one subscription to all of its events. */
export async function plantTopicWith(
  database: Planting,
  { url = 'https://example.com/hook', enabled = true }: { url?: string; enabled?: boolean } = {},
): Promise<{ topicId: string; subscriptionId: string }> {
  const { environmentId } = database.tenant;
  const [topicId, subscriptionId] = [newId('topic'), newId('subscription')];
  await database.asOwner('INSERT INTO topics (id, environment_id, name) VALUES ($1, $2, $3)', [
    topicId,
    environmentId,
    `orders-${topicId}`,
  ]);
  await database.asOwner(
    `INSERT INTO event_subscriptions (id, environment_id, topic_id, of_service, url, event_types, enabled) VALUES ($1, $2, $3, false, $4, '{*}', $5)`,
    [subscriptionId, environmentId, topicId, url, enabled],
  );
  return { topicId, subscriptionId };
}

export interface FailedDeliveries {
  subscriptionId: string;
  count?: number;
  /** Hours before now. */
  failedAgoHours?: number;
  /** Each with the attempt that failed. */
  withAttempts?: boolean;
}

/** Events whose delivery to the subscription failed for good, by SQL. Returns the messages in the order of their ids. */
export async function plantFailedDeliveries(
  database: Planting,
  { subscriptionId, count = 1, failedAgoHours = 0, withAttempts = false }: FailedDeliveries,
): Promise<{ messageId: string; eventId: string }[]> {
  const planted = Array.from({ length: count }, () => ({ messageId: newId('message'), eventId: newId('event') }));
  const ids = [planted.map(({ messageId }) => messageId), planted.map(({ eventId }) => eventId)];
  const U = 'unnest($1::text[], $2::text[]) u (message_id, event_id)';
  await database.asOwner(
    `INSERT INTO events (id, environment_id, topic_id, public_id, type, data, occurred_at, published_by, retention, status, deliveries, fanned_out_at)
     SELECT u.event_id, s.environment_id, s.topic_id, u.event_id, 'order.paid', json_build_object('of', u.event_id), now(),
       '{"type":"api_key","id":null}', 'month', 'fanned_out', 1, now() FROM ${U}, event_subscriptions s WHERE s.id = $3`,
    [...ids, subscriptionId],
  );
  await database.asOwner(
    `INSERT INTO messages (id, environment_id, kind, url, method, max_retries, timeout_seconds, retention, published_by, status, next_attempt_at,
       event_id, subscription_id)
     SELECT u.message_id, s.environment_id, 'event', s.url, 'POST', 0, 5, 'month', '{"type":"api_key","id":null}', 'pending', now(),
       u.event_id, s.id FROM ${U}, event_subscriptions s WHERE s.id = $3`,
    [...ids, subscriptionId],
  );
  await database.asOwner(`UPDATE messages SET status = 'processing', attempts = 1 WHERE id = ANY($1)`, [ids[0]]);
  if (withAttempts) {
    await database.asOwner(
      `INSERT INTO message_attempts (message_id, number, environment_id, subscription_id, status, response_status, error, finished_at)
       SELECT id, 1, environment_id, subscription_id, 'completed', 500, 'the destination answered 500', now() FROM messages WHERE id = ANY($1)`,
      [ids[0]],
    );
  }
  await database.asOwner(
    `UPDATE messages SET status = 'failed', failed_at = now() - $2 * interval '1 hour', response_status = 500 WHERE id = ANY($1)`,
    [ids[0], failedAgoHours],
  );
  return planted.toSorted((left, right) => (left.messageId < right.messageId ? -1 : 1));
}
