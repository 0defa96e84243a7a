import { rowsAfter } from '../page.ts';
import type { EnvironmentTransaction } from '../client.ts';
import type { JobRecord } from '../dead-letters/jobs.ts';
import type { DeliveredEvent } from './accept-deliveries.ts';

type Scope = Pick<JobRecord, 'subscriptionId' | 'filter' | 'createdAt'>;

/**
 * The deliveries of a recovery, for `messages m`: those that failed between `since` and the request, and were not delivered again since.
 * A repeated delivery that fails is not recovered again, so a recovery ends. The message that repeated a delivery may be deleted before
 * it, if it was accepted in a shorter retention class: such a delivery is taken once more.
 */
const IN_RECOVERY = `m.subscription_id = :subscriptionId AND m.status = 'failed' AND m.failed_at >= :since AND m.failed_at <= :createdAt
  AND NOT EXISTS (SELECT FROM messages r WHERE r.retry_of = m.id)`;

function scopeOf({ subscriptionId, filter, createdAt }: Scope) {
  return { subscriptionId, since: filter.startDate ?? null, createdAt };
}

export async function countFailedDeliveries(tx: EnvironmentTransaction, job: Scope): Promise<number> {
  const { rows } = await tx.raw<{ rows: { total: number }[] }>(
    `SELECT count(*)::int AS total FROM messages m WHERE ${IN_RECOVERY}`,
    scopeOf(job),
  );
  return rows[0]?.total ?? 0;
}

export interface FailedDelivery {
  /** The message. */
  id: string;
  eventId: string;
  /** The size of its event's data. */
  bytes: number;
}

/** The next page in the order of the messages' ids. Nothing is locked: one recovery of a subscription is under way at a time. */
export async function findFailedDeliveries(
  tx: EnvironmentTransaction,
  job: Scope & Pick<JobRecord, 'afterId'>,
  limit: number,
): Promise<FailedDelivery[]> {
  return rowsAfter(tx, {
    columns: 'm.id, m.event_id AS "eventId", COALESCE(octet_length(v.data::text), 0) AS bytes',
    from: 'messages m',
    joins: 'LEFT JOIN events v ON v.id = m.event_id',
    where: IN_RECOVERY,
    key: 'm.id',
    asked: { ...scopeOf(job), after: job.afterId, limit },
  });
}

/** The events that are still kept, by their ids. */
export async function readEvents(
  tx: EnvironmentTransaction,
  eventIds: readonly string[],
): Promise<Map<string, DeliveredEvent>> {
  const { rows } = await tx.raw<{ rows: DeliveredEvent[] }>(
    `SELECT v.id, v.public_id AS "publicId", t.name AS topic, v.type, v.data, v.occurred_at AS "occurredAt", v.created_at AS "createdAt",
       v.published_by AS "publishedBy"
     FROM events v JOIN topics t ON t.id = v.topic_id WHERE v.id = ANY (?)`,
    [eventIds],
  );
  return new Map(rows.map((event) => [event.id, event]));
}
