import { MESSAGE_STATUSES, type MessageStatus } from '../../domain/messages/messages.ts';
import { afterFailure, type FailureClock } from '../../domain/events/failure-clock.ts';
import { itemsOf, type Page, pageOf, type Range, rowsAfter } from '../page.ts';
import type { EnvironmentTransaction } from '../client.ts';
import type { JobRecord } from '../dead-letters/jobs.ts';
import type { DeliveredEvent } from './fan-out.ts';

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
    'count_deliveries',
    'SELECT status, count(*)::int AS count FROM messages WHERE event_id = ? GROUP BY status',
    [eventId],
  );
  const counts = new Map(counted.rows.map(({ status, count }) => [status, count]));
  const byStatus = Object.fromEntries(MESSAGE_STATUSES.map((status) => [status, counts.get(status) ?? 0]));
  return {
    items: await itemsOf(tx, { name: 'list_deliveries', ...LIST, asked: { eventId, ...range } }),
    total: counted.rows.reduce((sum, { count }) => sum + count, 0),
    byStatus: byStatus as Record<MessageStatus, number>,
  };
}

/** As the API writes times. */
function rfc3339(column: string): string {
  return `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

export const ATTEMPT_OUTCOMES = ['started', 'delivered', 'failed'] as const;
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

/** An attempt to deliver an event to a subscription. */
export interface SubscriptionAttemptRecord {
  messageId: string;
  /** What the delivery carries as `id`. Null when the event was deleted. */
  eventId: string | null;
  eventType: string | null;
  number: number;
  outcome: AttemptOutcome;
  startedAt: Date;
  finishedAt: Date | null;
  latencyMs: number | null;
  responseStatus: number | null;
  error: string | null;
}

/** For `message_attempts a`. One that was completed without an error has delivered. */
const OUTCOME = `CASE WHEN a.status = 'started' THEN 'started' WHEN a.error IS NULL THEN 'delivered' ELSE 'failed' END`;

/** One page of the attempts of a subscription, newest first. They are kept as long as the content of messages (docs/retention.md). */
export async function listSubscriptionAttempts(
  tx: EnvironmentTransaction,
  asked: {
    subscriptionId: string;
    outcome?: AttemptOutcome | undefined;
    /** Exclusive, as is `endDate`. */
    startDate?: Date | undefined;
    endDate?: Date | undefined;
  } & Range,
): Promise<Page<SubscriptionAttemptRecord>> {
  return pageOf(tx, {
    name: 'list_subscription_attempts',
    columns: `a.message_id AS "messageId", v.public_id AS "eventId", v.type AS "eventType", a.number, ${OUTCOME} AS outcome,
        a.started_at AS "startedAt", a.finished_at AS "finishedAt", a.latency_ms AS "latencyMs", a.response_status AS "responseStatus", a.error`,
    from: 'message_attempts a',
    joins: 'LEFT JOIN messages m ON m.id = a.message_id LEFT JOIN events v ON v.id = m.event_id',
    where: 'a.subscription_id = :subscriptionId',
    filters: {
      outcome: `${OUTCOME} = :outcome`,
      startDate: 'a.started_at > :startDate',
      endDate: 'a.started_at < :endDate',
    },
    order: 'a.started_at DESC, a.message_id DESC, a.number DESC',
    asked,
  });
}

/** The end of a delivery, as its subscription's clock sees it. */
export interface EndedDelivery {
  subscriptionId: string;
  /** Where it went. One that went elsewhere than the subscription points now says nothing of it. */
  url: string;
}

/** Locks the rows of these subscriptions in the order of their ids, so that two transactions never wait for each other. */
export async function lockFailureClocks(tx: EnvironmentTransaction, ended: readonly EndedDelivery[]): Promise<void> {
  await tx.raw(
    'lock_failure_clocks',
    'SELECT FROM event_subscriptions WHERE id = ANY (?) ORDER BY id FOR NO KEY UPDATE',
    [ended.map(({ subscriptionId }) => subscriptionId)],
  );
}

/** Deliveries succeeded: earlier failures of their subscriptions no longer count. Writes nothing where none failed, which is the common case. */
export async function resetFailureClocks(tx: EnvironmentTransaction, ended: readonly EndedDelivery[]): Promise<void> {
  if (ended.length === 0) return;
  await tx.raw(
    'reset_failure_clocks',
    `UPDATE event_subscriptions s SET failing_since = NULL, last_failure_at = NULL, clock_runs = false
     FROM (SELECT f.id FROM event_subscriptions f JOIN unnest(CAST(:ids AS text[]), CAST(:urls AS text[])) AS e (id, url) ON f.id = e.id AND f.url = e.url
       WHERE f.failing_since IS NOT NULL AND f.disabled_at IS NULL ORDER BY f.id FOR NO KEY UPDATE OF f) failing
     WHERE s.id = failing.id`,
    { ids: ended.map(({ subscriptionId }) => subscriptionId), urls: ended.map(({ url }) => url) },
  );
}

interface ClockRow {
  now: Date;
  failingSince: Date | null;
  lastFailureAt: Date | null;
  clockRuns: boolean;
}

/**
 * Records that a delivery failed for good, and disables the subscription once all have failed for five days
 * (domain/events/failure-clock.ts); a trigger then raises `subscription.disabled`. Answers since when they failed if this call disabled
 * it, and null otherwise. It locks the subscription's row until the commit, so it comes after every other lock of its transaction but the
 * one of the audit log.
 */
export async function noteFailedDelivery(
  tx: EnvironmentTransaction,
  { subscriptionId, url }: EndedDelivery,
): Promise<{ failingSince: Date } | null> {
  const row = await tx.row<ClockRow>(
    'note_failed_delivery',
    `SELECT now() AS now, failing_since AS "failingSince", last_failure_at AS "lastFailureAt", clock_runs AS "clockRuns"
     FROM event_subscriptions WHERE id = :subscriptionId AND url = :url AND enabled AND deleted_at IS NULL FOR NO KEY UPDATE`,
    { subscriptionId, url },
  );
  if (row === null) return null;
  const { clock, disables } = afterFailure(clockOf(row), row.now);
  await tx.raw(
    'note_failed_delivery_2',
    `UPDATE event_subscriptions SET failing_since = :failingSince, last_failure_at = :lastFailureAt, clock_runs = :clockRuns,
       enabled = NOT :disables, disabled_at = CASE WHEN :disables THEN now() END,
       updated_at = CASE WHEN :disables THEN now() ELSE updated_at END
     WHERE id = :subscriptionId`,
    { ...clock, disables, subscriptionId },
  );
  return disables ? { failingSince: clock.failingSince } : null;
}

function clockOf({ failingSince, lastFailureAt, clockRuns }: ClockRow): FailureClock | null {
  return failingSince === null || lastFailureAt === null ? null : { failingSince, lastFailureAt, clockRuns };
}

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
  const row = await tx.row<{ total: number }>(
    'count_failed_deliveries',
    `SELECT count(*)::int AS total FROM messages m WHERE ${IN_RECOVERY}`,
    scopeOf(job),
  );
  return row?.total ?? 0;
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
    name: 'find_failed_deliveries',
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
  const rows = await tx.rows<DeliveredEvent>(
    'read_events',
    `SELECT v.id, v.public_id AS "publicId", t.name AS topic, v.type, v.data, v.occurred_at AS "occurredAt", v.created_at AS "createdAt",
       v.published_by AS "publishedBy"
     FROM events v JOIN topics t ON t.id = v.topic_id WHERE v.id = ANY (?)`,
    [eventIds],
  );
  return new Map(rows.map((event) => [event.id, event]));
}
