import type { MessageKind, MessageMethod, MessageStatus } from '../../domain/messages/messages.ts';
import type { Redaction } from '../../domain/messages/publish-request.ts';
import type { EnvironmentTransaction } from '../client.ts';
import type { SealedSecret } from '../secrets/vault.ts';
import type { StoredContent } from './records.ts';

/** The part of a message that an attempt needs. */
export interface MessageWork {
  id: string;
  kind: MessageKind;
  status: MessageStatus;
  url: string;
  method: MessageMethod;
  /** Null after the content was deleted, some time after the message's end. */
  content: StoredContent | null;
  redact: Redaction | null;
  label: string | null;
  scheduleId: string | null;
  urlGroupId: string | null;
  flowControlKeyId: string | null;
  /** Set for the delivery of an event. */
  subscriptionId: string | null;
  attempts: number;
  maxRetries: number;
  retryDelaysMs: number[] | null;
  timeoutSeconds: number;
  callbackUrl: string | null;
  failureCallbackUrl: string | null;
  publishedBy: { type: string; id: string | null };
  createdAt: Date;
  /** Time until the next attempt is due; 0 or less when it is due. */
  dueInMs: number;
  /** The number of an attempt that was started and has no recorded end. */
  openAttempt: number | null;
}

type BelongingRow = Pick<MessageWork, 'openAttempt'> &
  Omit<StoredContent, 'sealed' | 'bodyKind'> & { bodyKind: StoredContent['bodyKind'] | null } & {
    [Column in keyof SealedSecret]: SealedSecret[Column] | null;
  };

/** The row of a message, without what belongs to it. */
type LockedRow = Omit<MessageWork, 'content' | 'openAttempt'>;
type Belongings = Pick<MessageWork, 'content' | 'openAttempt'>;
type LockedMessage = Pick<MessageWork, 'id'>;

/**
 * Locks a message's row until the transaction ends. Null where there is none.
 *
 * What belongs to the message is read by a second statement, sent together with the first: a statement that waited for the lock reads other
 * tables as of its start, and would miss an attempt that was started meanwhile.
 */
export async function lockMessage(tx: EnvironmentTransaction, messageId: string): Promise<MessageWork | null> {
  const [locked, belongings] = await tx.inOrder(
    () => tx.raw<{ rows: LockedRow[] }>('lock_message', LOCK, { messageId }),
    () => tx.raw<{ rows: BelongingRow[] }>('lock_message_2', CONTENT_AND_ATTEMPT, { messageId }),
  );
  const [row] = locked.rows;
  return row === undefined ? null : { ...row, ...belongingsOf(belongings.rows) };
}

const LOCK = `SELECT m.id, m.kind, m.status, m.url, m.method, m.redact, m.label, m.schedule_id AS "scheduleId",
       m.url_group_id AS "urlGroupId", m.flow_control_key_id AS "flowControlKeyId", m.subscription_id AS "subscriptionId", m.attempts, m.max_retries AS "maxRetries",
       m.retry_delays_ms AS "retryDelaysMs", m.timeout_seconds AS "timeoutSeconds", m.callback_url AS "callbackUrl",
       m.failure_callback_url AS "failureCallbackUrl", m.published_by AS "publishedBy", m.created_at AS "createdAt",
       ceil(extract(epoch FROM m.next_attempt_at - clock_timestamp()) * 1000)::float8 AS "dueInMs"
     FROM messages m WHERE m.id = :messageId FOR UPDATE`;
const CONTENT_AND_ATTEMPT = `SELECT c.headers, c.body, c.body_kind AS "bodyKind", c.body_sealed AS "bodySealed",
    c.master_key_version AS "masterKeyVersion", c.wrapped_data_key AS "wrappedDataKey", c.sealed_value AS "sealedValue",
    (SELECT a.number FROM message_attempts a WHERE a.message_id = :messageId AND a.status = 'started') AS "openAttempt"
  FROM (VALUES (1)) one LEFT JOIN message_contents c ON c.message_id = :messageId`;

/** Locks the row again of a message that an attempt was started of. */
export async function lockAttempted(tx: EnvironmentTransaction, { id }: LockedMessage): Promise<void> {
  const { rows } = await tx.raw<{ rows: unknown[] }>(
    'lock_attempted',
    'SELECT FROM messages m WHERE m.id = :id FOR UPDATE',
    { id },
  );
  if (rows.length === 0) throw new Error(`message ${id} is not there`);
}

function belongingsOf([row]: readonly BelongingRow[]): Belongings {
  if (row === undefined) throw new Error('nothing was answered about what belongs to a message');
  const { headers, body, bodyKind, bodySealed, masterKeyVersion, wrappedDataKey, sealedValue, openAttempt } = row;
  if (bodyKind === null) return { content: null, openAttempt };
  const sealed =
    masterKeyVersion === null || wrappedDataKey === null || sealedValue === null
      ? null
      : { masterKeyVersion, wrappedDataKey, sealedValue };
  return { content: { headers, body, bodyKind, bodySealed, sealed }, openAttempt };
}

/** How many attempts of the message were lost with their worker. */
export async function countLostAttempts(tx: EnvironmentTransaction, { id: messageId }: LockedMessage): Promise<number> {
  const { rows } = await tx.raw<{ rows: { lost: number }[] }>(
    'count_lost_attempts',
    `SELECT count(*)::int AS lost FROM message_attempts
     WHERE message_id = :messageId AND status = 'abandoned'`,
    { messageId },
  );
  return rows[0]?.lost ?? 0;
}

/** Records that the message's workflow runs; it waits until the attempt is due. */
export async function markBegun(tx: EnvironmentTransaction, message: LockedMessage): Promise<void> {
  await tx.raw('mark_begun', 'UPDATE messages SET begun_at = now() WHERE id = ? AND begun_at IS NULL', [message.id]);
}

/**
 * Holds a message whose attempt is due while the environment is halted; resuming finds these. A due scheduled message becomes
 * pending.
 */
export async function holdMessage(tx: EnvironmentTransaction, message: LockedMessage): Promise<void> {
  await tx.raw(
    'hold_message',
    `UPDATE messages SET held_at = COALESCE(held_at, now()), begun_at = COALESCE(begun_at, now()),
       status = CASE WHEN status = 'scheduled' THEN 'pending' ELSE status END, paced = false, updated_at = now()
     WHERE id = ?`,
    [message.id],
  );
}
