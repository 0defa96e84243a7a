import type { DeadLetterReason } from '../../domain/dead-letters/dead-letters.ts';
import type { AttemptFailure } from '../../domain/messages/messages.ts';
import type { EnvironmentTransaction } from '../client.ts';
import type { WantedPermit } from '../in-flight/permits.ts';
import { lockAttempted, type MessageWork } from './lock-message.ts';
import { classesOf, partitionOf, type Template } from './partitions.ts';

export interface StartedAttempt {
  /** From 1. */
  number: number;
}

const OF_CLASS = 'retention = :retention';
/** `where`: what is known of its partition. The class alone is enough. */
const beginAttempt = (where: string = OF_CLASS): string =>
  `UPDATE messages SET status = 'processing', attempts = attempts + 1, begun_at = COALESCE(begun_at, now()), held_at = NULL, paced = false, updated_at = now()
  WHERE id = :messageId AND ${where}`;
const INSERT_ATTEMPT = `INSERT INTO message_attempts (message_id, number, environment_id, retention, target, worker, subscription_id)
  SELECT :messageId, attempts, current_environment_id(), :retention, url_target(url), :worker, subscription_id FROM begun RETURNING number`;

/** Starts an attempt. Until it ends the message cannot be cancelled. The caller holds the row's lock. */
export async function startAttempt(
  tx: EnvironmentTransaction,
  { id: messageId, retention }: Pick<MessageWork, 'id' | 'retention'>,
  worker: string,
): Promise<StartedAttempt> {
  const { rows } = await tx.raw<{ rows: { number: number }[] }>(
    'start_attempt',
    `WITH begun AS (${beginAttempt()} RETURNING attempts, url, subscription_id) ${INSERT_ATTEMPT}`,
    { messageId, retention, worker },
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
  { id: messageId, retention }: Pick<MessageWork, 'id' | 'retention'>,
  wanted: WantedPermit,
  worker: string,
): Promise<{ position: number | null; attempt: null } | { position: 0; attempt: StartedAttempt }> {
  const { rows } = await tx.raw<{ rows: { position: number | null; number: number | null }[] }>(
    { variantsOf: 'start_permitted_attempt' },
    partitionOf({ id: messageId, retention })?.text(IN_PARTITION) ?? IN_CLASS,
    { messageId, retention, worker, ...wanted },
  );
  const [row] = rows;
  if (row === undefined) throw new Error('a function without a table answers one row');
  const { position, number } = row;
  if (position !== 0) return { position, attempt: null };
  if (number === null) throw new Error(`no attempt of message ${messageId} could be started`);
  return { position, attempt: { number } };
}

const startWith = (begin: string): string => `WITH asked AS MATERIALIZED (
    SELECT acquire_permit(:kind, :holder, :most, make_interval(secs => :leaseMs / 1000.0)) AS position),
  begun AS (${begin} AND (SELECT position FROM asked) = 0 RETURNING attempts, url, subscription_id),
  started AS (${INSERT_ATTEMPT})
  SELECT position, (SELECT number FROM started) AS number FROM asked`;
const IN_CLASS = startWith(beginAttempt());
const IN_PARTITION: Template = (within) => startWith(beginAttempt(within('id')));

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
  await tx.raw({ variantsOf: 'record_outcome' }, isFailed ? FAIL : MOVE, {
    messageId,
    retention,
    responseStatus,
    ...movingValues(outcome),
    ...(isFailed ? { classes: classesOf(retention), reason: outcome.reason } : {}),
  });
}

function movingValues(outcome: Outcome) {
  const error = outcome.kind === 'delivered' ? null : outcome.error;
  return { kind: outcome.kind, error, delayMs: outcome.kind === 'retry' ? outcome.delayMs : 0 };
}

/** In every partition: the caller adds where it looks. */
const MOVE_MESSAGE = `UPDATE messages SET response_status = :responseStatus, error_message = :error, updated_at = now(),
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

/** Closes an attempt, once. Returns false where it was closed before; what it saw must then be ignored. */
export async function closeAttempt(
  tx: EnvironmentTransaction,
  { id: messageId, retention }: Pick<MessageWork, 'id' | 'retention'>,
  number: number,
  end: AttemptEnd,
): Promise<boolean> {
  const { rowCount } = await tx.raw<{ rowCount: number }>(
    'close_attempt',
    `${CLOSE_ATTEMPT} AND retention = ANY (:classes)`,
    {
      messageId,
      classes: classesOf(retention),
      number,
      ...closingValues(end),
    },
  );
  return rowCount === 1;
}

/** In every partition: the caller adds where it looks. */
const CLOSE_ATTEMPT = `UPDATE message_attempts SET status = :status, response_status = :responseStatus,
    response_headers = :responseHeaders, response_body = :responseBody, failure = :failure, error = :error, address = :address, latency_ms = :latencyMs,
    finished_at = now()
  WHERE message_id = :messageId AND number = :number AND status = 'started'`;

function closingValues({ status, seen, failure, error, address, latencyMs }: AttemptEnd) {
  const responseHeaders = seen.headers === null ? null : JSON.stringify(seen.headers);
  return {
    status,
    responseStatus: seen.status,
    responseHeaders,
    responseBody: seen.body,
    failure,
    error,
    address,
    latencyMs,
  };
}

/**
 * Closes an attempt (`closeAttempt`) and writes its outcome to its message (`recordOutcome`), under the message's lock. For a young message
 * that does not fail both are one statement, sent together with the lock. Returns false where the attempt was closed before: nothing is
 * changed then.
 */
export async function endAttempt(
  tx: EnvironmentTransaction,
  work: Pick<MessageWork, 'id' | 'retention'>,
  number: number,
  end: AttemptEnd,
  outcome: Outcome,
): Promise<boolean> {
  const { id: messageId } = work;
  const partition = outcome.kind === 'failed' ? null : partitionOf(work);
  // Sent together. The message is locked first, as by everybody who changes it.
  if (partition === null) {
    const [locked, closed] = await tx.inOrder(
      () => lockAttempted(tx, work),
      () => closeAttempt(tx, work, number, end),
    );
    if (closed) await recordOutcome(tx, { id: messageId, ...locked }, end.seen.status, outcome);
    return closed;
  }
  const [, { rows }] = await tx.inOrder(
    () => lockAttempted(tx, work),
    () =>
      tx.raw<{ rows: { closed: boolean }[] }>({ variantsOf: 'end_attempt' }, partition.text(CLOSE_AND_MOVE), {
        messageId,
        number,
        ...closingValues(end),
        ...movingValues(outcome),
      }),
  );
  return rows[0]?.closed === true;
}

const CLOSE_AND_MOVE: Template = (within) => `WITH closed AS (${CLOSE_ATTEMPT} AND ${within('message_id')} RETURNING 1),
  moved AS (${MOVE_MESSAGE} AND ${within('id')} AND EXISTS (SELECT FROM closed) RETURNING 1)
  SELECT EXISTS (SELECT FROM closed) AS closed`;
