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
  page: {
    subscriptionId: string;
    outcome?: AttemptOutcome | undefined;
    /** Exclusive, as is `endDate`. */
    startDate?: Date | undefined;
    endDate?: Date | undefined;
    limit: number;
    offset: number;
  },
): Promise<{ total: number; items: SubscriptionAttemptRecord[] }> {
  const where = `a.subscription_id = :subscriptionId AND (CAST(:outcome AS text) IS NULL OR ${OUTCOME} = :outcome)
    AND (CAST(:startDate AS timestamptz) IS NULL OR a.started_at > :startDate)
    AND (CAST(:endDate AS timestamptz) IS NULL OR a.started_at < :endDate)`;
  const { outcome = null, startDate = null, endDate = null, ...rest } = page;
  const bindings = { ...rest, outcome, startDate, endDate };
  const counted = await tx.raw<{ rows: { total: number }[] }>(
    `SELECT count(*)::int AS total FROM message_attempts a WHERE ${where}`,
    bindings,
  );
  // The events are looked up for the page alone.
  const { rows } = await tx.raw<{ rows: SubscriptionAttemptRecord[] }>(
    `SELECT p.message_id AS "messageId", v.public_id AS "eventId", v.type AS "eventType", p.number, p.outcome, p.started_at AS "startedAt",
       p.finished_at AS "finishedAt", p.latency_ms AS "latencyMs", p.response_status AS "responseStatus", p.error
     FROM (SELECT a.*, ${OUTCOME} AS outcome FROM message_attempts a WHERE ${where}
           ORDER BY a.started_at DESC, a.message_id DESC, a.number DESC LIMIT :limit OFFSET :offset) p
       LEFT JOIN messages m ON m.id = p.message_id LEFT JOIN events v ON v.id = m.event_id
     ORDER BY p.started_at DESC, p.message_id DESC, p.number DESC`,
    bindings,
  );
  return { total: counted.rows[0]?.total ?? 0, items: rows };
}
