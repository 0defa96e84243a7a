import type { DeadLetterReason } from '../../domain/dead-letters/dead-letters.ts';
import type { AttemptFailure } from '../../domain/messages/messages.ts';
import type { EnvironmentTransaction } from '../client.ts';
import type { WantedPermit } from '../in-flight/permits.ts';
import { lockAttempted, type MessageWork } from './lock-message.ts';

export interface StartedAttempt {
  /** From 1. */
  number: number;
}

const BEGIN_ATTEMPT = `UPDATE messages SET status = 'processing', attempts = attempts + 1, begun_at = COALESCE(begun_at, now()), held_at = NULL, paced = false, updated_at = now()
  WHERE id = :messageId`;
const INSERT_ATTEMPT = `INSERT INTO message_attempts (message_id, number, environment_id, target, worker, subscription_id)
  SELECT :messageId, attempts, current_environment_id(), url_target(url), :worker, subscription_id FROM begun RETURNING number`;

/** Starts an attempt. Until it ends the message cannot be cancelled. The caller holds the row's lock. */
export async function startAttempt(
  tx: EnvironmentTransaction,
  { id: messageId }: Pick<MessageWork, 'id'>,
  worker: string,
): Promise<StartedAttempt> {
  const { rows } = await tx.raw<{ rows: { number: number }[] }>(
    'start_attempt',
    `WITH begun AS (${BEGIN_ATTEMPT} RETURNING attempts, url, subscription_id) ${INSERT_ATTEMPT}`,
    { messageId, worker },
  );
  const row = rows[0];
  if (row === undefined) throw new Error(`no attempt of message ${messageId} could be started`);
  return row;
}

/**
 * Acquires a permit (`acquirePermit`) and starts an attempt where it is held, in one statement: the askers of a workspace follow one
 * another, so that each round trip between the two would hold up the next one. Without the permit, the position in the queue or null,
 * no attempt is started.
 */
export async function startPermittedAttempt(
  tx: EnvironmentTransaction,
  { id: messageId }: Pick<MessageWork, 'id'>,
  wanted: WantedPermit,
  worker: string,
): Promise<{ position: number | null; attempt: null } | { position: 0; attempt: StartedAttempt }> {
  const { rows } = await tx.raw<{ rows: { position: number | null; number: number | null }[] }>(
    'start_permitted_attempt',
    START_PERMITTED,
    { messageId, worker, ...wanted },
  );
  const [row] = rows;
  if (row === undefined) throw new Error('a function without a table answers one row');
  const { position, number } = row;
  if (position !== 0) return { position, attempt: null };
  if (number === null) throw new Error(`no attempt of message ${messageId} could be started`);
  return { position, attempt: { number } };
}

const START_PERMITTED = `WITH asked AS MATERIALIZED (
    SELECT acquire_permit(:kind, :holder, :most, make_interval(secs => :leaseMs / 1000.0)) AS position),
  begun AS (${BEGIN_ATTEMPT} AND (SELECT position FROM asked) = 0 RETURNING attempts, url, subscription_id),
  started AS (${INSERT_ATTEMPT})
  SELECT position, (SELECT number FROM started) AS number FROM asked`;

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

interface AttemptEnd {
  /** `abandoned`: the worker was lost before the end of the attempt was recorded. */
  status: 'completed' | 'abandoned';
  seen: SeenResponse;
  /** Why no usable answer came; null where one came, or where nobody knows. */
  failure: AttemptFailure | null;
  error: string | null;
  /** The address that was dialled; null where none was, or where nobody knows. */
  address: string | null;
  /** How long the call took; null where nobody knows. */
  latencyMs: number | null;
}

/**
 * Closes an attempt, once, and writes its outcome to its message, under the message's lock. Returns false where the attempt was closed
 * before: nothing is changed then, and what it saw must be ignored. A message that fails becomes a dead letter in the same statement, but for
 * the delivery of an event: its subscription is recovered (docs/dead-letters.md, "What").
 */
export async function endAttempt(
  tx: EnvironmentTransaction,
  work: Pick<MessageWork, 'id'>,
  number: number,
  end: AttemptEnd,
  outcome: Outcome,
): Promise<boolean> {
  const isFailed = outcome.kind === 'failed';
  // Sent together. The message is locked first, as by everybody who changes it.
  const [, { rows }] = await tx.inOrder(
    () => lockAttempted(tx, work),
    () =>
      tx.raw<{ rows: { closed: boolean }[] }>(
        { variantsOf: 'end_attempt' },
        isFailed ? CLOSE_AND_FAIL : CLOSE_AND_MOVE,
        {
          messageId: work.id,
          number,
          ...closingValues(end),
          ...movingValues(outcome),
          ...(isFailed ? { reason: outcome.reason } : {}),
        },
      ),
  );
  return rows[0]?.closed === true;
}

function closingValues({ status, seen, failure, error, address, latencyMs }: AttemptEnd) {
  const responseHeaders = seen.headers === null ? null : JSON.stringify(seen.headers);
  return {
    status,
    responseStatus: seen.status,
    responseHeaders,
    responseBody: seen.body,
    failure,
    attemptError: error,
    address,
    latencyMs,
  };
}

/** The response itself is in the attempt. */
function movingValues(outcome: Outcome) {
  const error = outcome.kind === 'delivered' ? null : outcome.error;
  return { kind: outcome.kind, error, delayMs: outcome.kind === 'retry' ? outcome.delayMs : 0 };
}

const CLOSED = `closed AS (UPDATE message_attempts SET status = :status, response_status = :responseStatus,
    response_headers = :responseHeaders, response_body = :responseBody, failure = :failure, error = :attemptError, address = :address,
    latency_ms = :latencyMs, finished_at = now()
  WHERE message_id = :messageId AND number = :number AND status = 'started' RETURNING started_at)`;
const MOVE_MESSAGE = `UPDATE messages SET response_status = :responseStatus, error_message = :error, updated_at = now(),
    status = CASE WHEN :kind = 'retry' THEN status ELSE :kind END,
    delivered_at = CASE WHEN :kind = 'delivered' THEN now() ELSE delivered_at END,
    failed_at = CASE WHEN :kind = 'failed' THEN now() ELSE failed_at END,
    next_attempt_at = CASE WHEN :kind = 'retry' THEN clock_timestamp() + :delayMs * interval '1 millisecond' ELSE next_attempt_at END
  WHERE id = :messageId AND status = 'processing' AND EXISTS (SELECT FROM closed)`;
const IS_CLOSED = 'SELECT EXISTS (SELECT FROM closed) AS closed';

const CLOSE_AND_MOVE = `WITH ${CLOSED}, moved AS (${MOVE_MESSAGE}) ${IS_CLOSED}`;
/** Apart, because planning the insert costs more than the whole statement of a delivery. */
const CLOSE_AND_FAIL = `WITH ${CLOSED},
  ended AS (${MOVE_MESSAGE}
    RETURNING id, environment_id, retention, kind, status, url, url_group_id, schedule_id, response_status, label, failed_at),
  dead AS (
    INSERT INTO dead_letters (message_id, environment_id, retention, reason, url, url_group_id, schedule_id, response_status, label,
      last_attempt_at, failed_at)
    SELECT e.id, e.environment_id, e.retention, CAST(:reason AS text), e.url, e.url_group_id, e.schedule_id, e.response_status, e.label,
      closed.started_at, e.failed_at
    FROM ended e, closed WHERE e.status = 'failed' AND e.kind <> 'event')
  ${IS_CLOSED}`;
