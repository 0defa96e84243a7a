import { itemsOf, type Page, type Range } from '../page.ts';
import { MESSAGE_STATUSES, type MessageStatus } from '../../domain/messages/messages.ts';
import type { EnvironmentTransaction } from '../client.ts';

export interface DeliveryAttempt {
  number: number;
  status: 'started' | 'completed' | 'abandoned';
  startedAt: string;
  finishedAt: string | null;
  latencyMs: number | null;
  responseStatus: number | null;
  errorMessage: string | null;
}

/** The message of an event for one subscription. */
export interface EventDelivery {
  messageId: string;
  subscriptionId: string;
  url: string;
  status: MessageStatus;
  maxRetries: number;
  /** The first one first. They are kept as long as the message's content. */
  attempts: DeliveryAttempt[];
  nextAttemptAt: Date | null;
  deliveredAt: Date | null;
  failedAt: Date | null;
}

export interface Deliveries extends Page<EventDelivery> {
  /** How many there are of each status. */
  byStatus: Record<MessageStatus, number>;
}

const LIST = {
  columns: `m.id AS "messageId", m.subscription_id AS "subscriptionId", m.url, m.status, m.max_retries AS "maxRetries",
    CASE WHEN m.status IN ('pending', 'scheduled', 'processing') THEN m.next_attempt_at END AS "nextAttemptAt",
    m.delivered_at AS "deliveredAt", m.failed_at AS "failedAt", COALESCE((
      SELECT json_agg(json_build_object('number', a.number, 'status', a.status, 'startedAt', ${rfc3339('a.started_at')},
        'finishedAt', ${rfc3339('a.finished_at')}, 'latencyMs', a.latency_ms, 'responseStatus', a.response_status,
        'errorMessage', a.error) ORDER BY a.number)
      FROM message_attempts a WHERE a.message_id = m.id), '[]') AS attempts`,
  from: 'messages m',
  where: 'm.event_id = :eventId',
  order: 'm.id',
};

/** One page of an event's deliveries, in the order of their ids: those of a recovery come after the first ones. */
export async function listDeliveries(tx: EnvironmentTransaction, eventId: string, range: Range): Promise<Deliveries> {
  const counted = await tx.raw<{ rows: { status: MessageStatus; count: number }[] }>(
    'SELECT status, count(*)::int AS count FROM messages WHERE event_id = ? GROUP BY status',
    [eventId],
  );
  const counts = new Map(counted.rows.map(({ status, count }) => [status, count]));
  const byStatus = Object.fromEntries(MESSAGE_STATUSES.map((status) => [status, counts.get(status) ?? 0]));
  return {
    items: await itemsOf(tx, { ...LIST, asked: { eventId, ...range } }),
    total: counted.rows.reduce((sum, { count }) => sum + count, 0),
    byStatus: byStatus as Record<MessageStatus, number>,
  };
}

/** As the API writes times. */
function rfc3339(column: string): string {
  return `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}
