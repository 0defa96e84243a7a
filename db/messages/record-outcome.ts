import type { DeadLetterReason } from '../../domain/dead-letters/dead-letters.ts';
import type { EnvironmentTransaction } from '../client.ts';
import type { MessageWork } from './lock-message.ts';
import { classesOf } from './retention-classes.ts';

/** What the latest attempt saw. */
export interface SeenResponse {
  status: number | null;
  headers: Record<string, string> | null;
  /** At most 8 KiB, with credentials removed. */
  body: Buffer | null;
}

export type Outcome =
  | { kind: 'delivered' }
  | { kind: 'failed'; error: string; reason: DeadLetterReason }
  | { kind: 'retry'; error: string; delayMs: number };

/**
 * Writes the result of an attempt to its message; the response itself is in the attempt. The caller holds the row's lock and has
 * closed the attempt. A message that fails becomes a dead letter in the same statement, but for the delivery of an event: its
 * subscription is recovered (docs/dead-letters.md, "What").
 */
export async function recordOutcome(
  tx: EnvironmentTransaction,
  { id: messageId, retention }: Pick<MessageWork, 'id' | 'retention'>,
  responseStatus: number | null,
  outcome: Outcome,
): Promise<void> {
  const isFailed = outcome.kind === 'failed';
  await tx.raw(isFailed ? FAIL : MOVE, {
    messageId,
    retention,
    responseStatus,
    ...movingValues(outcome),
    ...(isFailed ? { classes: classesOf(retention), reason: outcome.reason } : {}),
  });
}

export function movingValues(outcome: Outcome) {
  const error = outcome.kind === 'delivered' ? null : outcome.error;
  return { kind: outcome.kind, error, delayMs: outcome.kind === 'retry' ? outcome.delayMs : 0 };
}

/** In every partition: the caller adds where it looks. */
export const MOVE_MESSAGE = `UPDATE messages SET response_status = :responseStatus, error_message = :error, updated_at = now(),
    status = CASE WHEN :kind = 'retry' THEN status ELSE :kind END,
    delivered_at = CASE WHEN :kind = 'delivered' THEN now() ELSE delivered_at END,
    failed_at = CASE WHEN :kind = 'failed' THEN now() ELSE failed_at END,
    next_attempt_at = CASE WHEN :kind = 'retry' THEN clock_timestamp() + :delayMs * interval '1 millisecond' ELSE next_attempt_at END
  WHERE id = :messageId AND status = 'processing'`;
const MOVE = `${MOVE_MESSAGE} AND retention = :retention`;

/** Apart, because planning the insert costs more than the whole statement of a delivery. */
const FAIL = `WITH ended AS (
  ${MOVE}
  RETURNING id, environment_id, retention, kind, status, url, url_group_id, schedule_id, response_status, label, failed_at)
  INSERT INTO dead_letters (message_id, environment_id, retention, reason, url, url_group_id, schedule_id, response_status, label,
    last_attempt_at, failed_at)
  SELECT e.id, e.environment_id, e.retention, CAST(:reason AS text), e.url, e.url_group_id, e.schedule_id, e.response_status, e.label,
    (SELECT a.started_at FROM message_attempts a WHERE a.message_id = e.id AND a.retention = ANY (:classes) ORDER BY a.number DESC LIMIT 1), e.failed_at
  FROM ended e WHERE e.status = 'failed' AND e.kind <> 'event'`;
