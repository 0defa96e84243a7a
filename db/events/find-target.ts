import type { EnvironmentTransaction } from '../client.ts';
import { type SubscriptionTarget, TARGET_COLUMNS, type TargetRow, targetOf } from './fan-out.ts';

/** A subscription that is not deleted, nor its topic, as a delivery to it alone needs it. */
export interface LiveTarget extends SubscriptionTarget {
  topicId: string;
  topic: string;
}

export async function findTarget(tx: EnvironmentTransaction, subscriptionId: string): Promise<LiveTarget | null> {
  const { rows } = await tx.raw<{ rows: (TargetRow & Pick<LiveTarget, 'topicId' | 'topic'>)[] }>(
    `SELECT ${TARGET_COLUMNS}, t.id AS "topicId", t.name AS topic FROM event_subscriptions s JOIN topics t ON t.id = s.topic_id
     WHERE s.id = ? AND s.deleted_at IS NULL AND t.deleted_at IS NULL`,
    [subscriptionId],
  );
  const [row] = rows;
  if (row === undefined) return null;
  const { topicId, topic, ...target } = row;
  return { ...targetOf(target), topicId, topic };
}

/** Whether the row of a subscription was deleted, and its secrets with it. Its deliveries keep it as long as they are under way. */
export async function isSubscriptionGone(tx: EnvironmentTransaction, subscriptionId: string | null): Promise<boolean> {
  if (subscriptionId === null) return false;
  const { rows } = await tx.raw<{ rows: unknown[] }>('SELECT FROM event_subscriptions WHERE id = ?', [subscriptionId]);
  return rows.length === 0;
}
