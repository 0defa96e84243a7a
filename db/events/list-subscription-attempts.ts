import { type Page, pageOf, type Range } from '../page.ts';
import type { EnvironmentTransaction } from '../client.ts';

export const ATTEMPT_OUTCOMES = ['started', 'delivered', 'failed'] as const;
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

/** An attempt to deliver an event to a subscription. */
export interface SubscriptionAttemptRecord {
  messageId: string;
  /** What the delivery carries as `id`. Null: the event is kept no longer. */
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
