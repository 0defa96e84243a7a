import type { MessageKind, MessageMethod, MessageStatus } from '../../domain/messages/messages.ts';
import type { Redaction } from '../../domain/messages/publish-request.ts';
import type { EnvironmentTransaction } from '../client.ts';
import type { SealedSecret } from '../secrets/vault.ts';
import type { StoredContent } from './records.ts';
import { classesOf, type Partition, partitionOf, type Template } from './partitions.ts';

/** The part of a message that an attempt needs. */
export interface MessageWork {
  id: string;
  /** Its class (`kept_…`: it outlived its range). A statement that names it opens one partition, and not one in each class. */
  retention: string;
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

/**
 * Locks a message's row until the transaction ends. Null where there is none.
 *
 * What belongs to the message is read by a second statement, which knows the class: PostgreSQL plans each statement anew, and
 * opening a partition and its indexes in every class costs more than the round trip. A caller may send other statements with it.
 */
export async function lockMessage(tx: EnvironmentTransaction, messageId: string): Promise<MessageWork | null> {
  const row = await lockMessageRow(tx, messageId);
  return row === null ? null : { ...row, ...(await readBelongings(tx, row)) };
}

/** The same for a young message of a known class, whose row and belongings are read at once. Null where it is of another class. */
export async function lockInPartition(
  tx: EnvironmentTransaction,
  messageId: string,
  partition: Partition,
): Promise<MessageWork | null> {
  const [locked, belongings] = await tx.inOrder(
    () =>
      tx.raw<{ rows: LockedRow[] }>({ variantsOf: 'lock_in_partition' }, partition.text(LOCK_IN_PARTITION), {
        messageId,
      }),
    () =>
      tx.raw<{ rows: BelongingRow[] }>(
        { variantsOf: 'lock_in_partition_2' },
        partition.text(CONTENT_AND_ATTEMPT_IN_PARTITION),
        { id: messageId },
      ),
  );
  const [row] = locked.rows;
  return row === undefined ? null : { ...row, ...belongingsOf(belongings.rows) };
}

/** `likely`: the class in which it is looked for first; null where none is known. */
export async function lockMessageRow(
  tx: EnvironmentTransaction,
  messageId: string,
  likely: string | null = null,
): Promise<LockedRow | null> {
  if (likely !== null) {
    const classes = classesOf(likely);
    const { rows } = await tx.raw<{ rows: LockedRow[] }>('lock_message_row', LOCK_IN_CLASSES, { messageId, classes });
    if (rows[0] !== undefined) return rows[0];
  }
  const { rows } = await tx.raw<{ rows: LockedRow[] }>('lock_message_row_2', LOCK, { messageId });
  return rows[0] ?? null;
}

const LOCKED = `SELECT m.id, m.retention, m.kind, m.status, m.url, m.method, m.redact, m.label, m.schedule_id AS "scheduleId",
       m.url_group_id AS "urlGroupId", m.flow_control_key_id AS "flowControlKeyId", m.subscription_id AS "subscriptionId", m.attempts, m.max_retries AS "maxRetries",
       m.retry_delays_ms AS "retryDelaysMs", m.timeout_seconds AS "timeoutSeconds", m.callback_url AS "callbackUrl",
       m.failure_callback_url AS "failureCallbackUrl", m.published_by AS "publishedBy", m.created_at AS "createdAt",
       ceil(extract(epoch FROM m.next_attempt_at - clock_timestamp()) * 1000)::float8 AS "dueInMs"
     FROM messages m WHERE m.id = :messageId`;
const LOCK = `${LOCKED} FOR UPDATE`;
const LOCK_IN_CLASSES = `${LOCKED} AND m.retention = ANY (:classes) FOR UPDATE`;
const LOCK_IN_PARTITION: Template = (within) => `${LOCKED} AND ${within('m.id')} FOR UPDATE`;

/**
 * Locks the row again of a message that an attempt was started of, and returns its class as it is now: it may have outlived its
 * range since.
 */
export async function lockAttempted(
  tx: EnvironmentTransaction,
  { id, retention }: Pick<MessageWork, 'id' | 'retention'>,
): Promise<Pick<MessageWork, 'retention'>> {
  const partition = partitionOf({ id, retention });
  const { rows } =
    partition === null
      ? await tx.raw<{ rows: { retention: string }[] }>('lock_attempted', LOCK_AGAIN, {
          id,
          classes: classesOf(retention),
        })
      : await tx.raw<{ rows: { retention: string }[] }>(
          { variantsOf: 'lock_attempted_2' },
          partition.text(LOCK_AGAIN_IN_PARTITION),
          { id },
        );
  const [row] = rows;
  if (row === undefined) throw new Error(`message ${id} is not there`);
  return row;
}

const LOCK_AGAIN = 'SELECT m.retention FROM messages m WHERE m.id = :id AND m.retention = ANY (:classes) FOR UPDATE';
const LOCK_AGAIN_IN_PARTITION: Template = (within) =>
  `SELECT m.retention FROM messages m WHERE m.id = :id AND ${within('m.id')} FOR UPDATE`;

/** A message without an attempt has none open, and its attempts are not looked at. */
export async function readBelongings(
  tx: EnvironmentTransaction,
  { id, retention, attempts }: Pick<MessageWork, 'id' | 'retention' | 'attempts'>,
): Promise<Belongings> {
  const partition = partitionOf({ id, retention });
  const { rows } =
    partition === null
      ? await tx.raw<{ rows: BelongingRow[] }>(
          { variantsOf: 'read_belongings' },
          attempts === 0 ? CONTENT : CONTENT_AND_ATTEMPT,
          {
            id,
            classes: classesOf(retention),
          },
        )
      : await tx.raw<{ rows: BelongingRow[] }>(
          { variantsOf: 'read_belongings_2' },
          partition.text(CONTENT_AND_ATTEMPT_IN_PARTITION),
          { id },
        );
  return belongingsOf(rows);
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

const contentWith = (
  openAttempt: string,
  inRetention: string,
): string => `SELECT c.headers, c.body, c.body_kind AS "bodyKind", c.body_sealed AS "bodySealed",
    c.master_key_version AS "masterKeyVersion", c.wrapped_data_key AS "wrappedDataKey", c.sealed_value AS "sealedValue",
    ${openAttempt} AS "openAttempt"
  FROM (VALUES (1)) one LEFT JOIN message_contents c ON c.message_id = :id AND ${inRetention}`;
const openAttemptIn = (inRetention: string): string => `(SELECT a.number FROM message_attempts a
  WHERE a.message_id = :id AND a.status = 'started' AND ${inRetention})`;
const CONTENT = contentWith('NULL::integer', 'c.retention = ANY (:classes)');
const CONTENT_AND_ATTEMPT = contentWith(openAttemptIn('a.retention = ANY (:classes)'), 'c.retention = ANY (:classes)');
const CONTENT_AND_ATTEMPT_IN_PARTITION: Template = (within) =>
  contentWith(openAttemptIn(within('a.message_id')), within('c.message_id'));

/** How many attempts of the message were lost with their worker. */
export async function countLostAttempts(
  tx: EnvironmentTransaction,
  { id: messageId, retention }: Pick<MessageWork, 'id' | 'retention'>,
): Promise<number> {
  const { rows } = await tx.raw<{ rows: { lost: number }[] }>(
    'count_lost_attempts',
    `SELECT count(*)::int AS lost FROM message_attempts
     WHERE message_id = :messageId AND retention = ANY (:classes) AND status = 'abandoned'`,
    { messageId, classes: classesOf(retention) },
  );
  return rows[0]?.lost ?? 0;
}

type LockedMessage = Pick<MessageWork, 'id' | 'retention'>;

/** Records that the message's workflow runs; it waits until the attempt is due. */
export async function markBegun(tx: EnvironmentTransaction, message: LockedMessage): Promise<void> {
  await tx.raw(
    'mark_begun',
    'UPDATE messages SET begun_at = now() WHERE id = ? AND retention = ? AND begun_at IS NULL',
    [message.id, message.retention],
  );
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
     WHERE id = ? AND retention = ?`,
    [message.id, message.retention],
  );
}
