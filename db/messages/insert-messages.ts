import {
  DEDUPLICATION_WINDOW_MINUTES,
  MAX_RETRIES_DEFAULT,
  type MessageKind,
  type MessageMethod,
  type MessageStatus,
  TIMEOUT_SECONDS_DEFAULT,
} from '../../domain/messages/messages.ts';
import type { Redaction } from '../../domain/messages/publish-request.ts';
import { PLAN_TABLE, PLANS } from '../../domain/plans.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { lanesAreReady } from '../announcements/lanes-ready.ts';
import type { StoredContent } from './records.ts';

export interface NewMessage {
  id: string;
  kind: MessageKind;
  url: string;
  method: MessageMethod;
  content: StoredContent;
  redact: Redaction | null;
  label: string | null;
  /** Null sends it immediately. */
  scheduledFor: Date | null;
  maxRetries: number;
  retryDelaysMs: number[] | null;
  timeoutSeconds: number;
  callbackUrl: string | null;
  failureCallbackUrl: string | null;
  /** The message whose end this callback reports. */
  callbackOf: string | null;
  publishedBy: { type: string; id: string | null };
  /** The schedule whose firing publishes it. */
  scheduleId?: string | null | undefined;
  /** The URL group that it was published to, and the endpoint that this message is for. */
  urlGroup?: { id: string; endpointId: string } | null | undefined;
  /** The flow-control key: its id, and its name as it is now. */
  flowControl?: { keyId: string; key: string } | null | undefined;
  /** The message whose dead letter this one retries. */
  retryOf?: string | null | undefined;
  /** The event that it delivers, and the subscription that it delivers it to. */
  event?: { id: string; subscriptionId: string } | null | undefined;
}

/**
 * Accepts messages, in the retention class of the workspace's plan, into their lanes; the claimers look there after the commit. One that
 * is due later waits under the pacer, unless it is given a workflow of its own (`paceMessages`). Returns the status of each: `scheduled`
 * where it is due later.
 */
export async function insertMessages(
  tx: EnvironmentTransaction,
  messages: readonly NewMessage[],
): Promise<Map<string, MessageStatus>> {
  const statuses = new Map<string, MessageStatus>();
  for (const some of inStatements(messages)) {
    const { rows } = await tx.raw<{ rows: { id: string; status: MessageStatus }[] }>('insert_messages', INSERT, {
      messages: some,
    });
    for (const { id, status } of rows) statuses.set(id, status);
  }
  if ([...statuses.values()].includes('pending')) lanesAreReady(tx);
  return statuses;
}

/** The copies of a large body, one for each endpoint of a URL group, are not held in memory all at once. */
const STATEMENT_CHARACTERS_MAX = 4 * 1024 * 1024;

/** JSON arrays of rows, each small enough for one statement. */
function* inStatements(messages: readonly NewMessage[]): Generator<string> {
  let rows: string[] = [];
  let characters = 0;
  for (const message of messages) {
    const row = JSON.stringify(withoutNulls(rowOf(message)));
    rows.push(row);
    characters += row.length;
    if (characters < STATEMENT_CHARACTERS_MAX) continue;
    yield `[${rows.join()}]`;
    rows = [];
    characters = 0;
  }
  if (rows.length > 0) yield `[${rows.join()}]`;
}

const RETENTION = `(SELECT CASE plan ${PLANS.map((plan) => `WHEN '${plan}' THEN '${PLAN_TABLE[plan].messageRetention}'`).join(' ')} END
  FROM workspaces WHERE id = current_workspace_id())`;
const MESSAGE_COLUMNS = `id, kind, url, method, redact, label, scheduled_for, max_retries, retry_delays_ms, timeout_seconds, callback_url,
  failure_callback_url, callback_of, published_by, schedule_id, url_group_id, url_group_endpoint_id, flow_control_key_id,
  flow_control_key, retry_of, event_id, subscription_id`;
const CONTENT_COLUMNS = `headers, body, body_kind, body_sealed, master_key_version, wrapped_data_key, sealed_value`;
/** The same text serves one message and a batch, so it is prepared once, and a batch needs no more parameters. */
const INSERT = `WITH given AS MATERIALIZED (
    SELECT ${RETENTION} AS retention, m.* FROM jsonb_to_recordset(CAST(:messages AS jsonb)) AS m (
      id text, kind text, url text, method text, redact jsonb, label text, scheduled_for timestamptz, max_retries integer,
      retry_delays_ms integer[], timeout_seconds integer, callback_url text, failure_callback_url text, callback_of text,
      published_by jsonb, schedule_id text, url_group_id text, url_group_endpoint_id uuid, flow_control_key_id text,
      flow_control_key text, retry_of text, event_id text, subscription_id text, headers jsonb, body text, body_kind text, body_sealed boolean,
      master_key_version integer, wrapped_data_key bytea, sealed_value bytea)
  ), content AS (
    INSERT INTO message_contents (message_id, environment_id, ${CONTENT_COLUMNS})
    SELECT id, current_environment_id(), ${CONTENT_COLUMNS} FROM given
  ), queued AS (
    INSERT INTO lane_queue (message_id, environment_id, workspace_id, lane_id, state, due_at, ignores_halt)
    SELECT id, current_environment_id(), current_workspace_id(), flow_control_key_id,
      CASE WHEN scheduled_for > now() THEN 'paced' ELSE 'ready' END, GREATEST(scheduled_for, now()), kind = 'alert' FROM given)
  INSERT INTO messages (environment_id, retention, ${MESSAGE_COLUMNS}, status, next_attempt_at)
  SELECT current_environment_id(), retention, ${MESSAGE_COLUMNS}, CASE WHEN scheduled_for > now() THEN 'scheduled' ELSE 'pending' END,
    COALESCE(scheduled_for, now())
  FROM given RETURNING id, status`;

/** A column that a row leaves out is null. Most columns of most messages are, and naming them doubled the time of the reading. */
function withoutNulls(row: Record<string, unknown>): Record<string, unknown> {
  for (const [column, value] of Object.entries(row)) if (value === null) row[column] = undefined;
  return row;
}

/** A row as `jsonb_to_recordset` reads it, which is twice as fast as `json_to_recordset`; bytes are hexadecimal. */
function rowOf(message: NewMessage): Record<string, unknown> {
  const { content } = message;
  const { sealed } = content;
  return {
    id: message.id,
    kind: message.kind,
    url: message.url,
    method: message.method,
    headers: content.headers,
    body: content.body,
    body_kind: content.bodyKind,
    body_sealed: content.bodySealed,
    master_key_version: sealed?.masterKeyVersion ?? null,
    wrapped_data_key: bytesOrNull(sealed?.wrappedDataKey ?? null),
    sealed_value: bytesOrNull(sealed?.sealedValue ?? null),
    redact: message.redact,
    label: message.label,
    scheduled_for: message.scheduledFor,
    max_retries: message.maxRetries,
    retry_delays_ms: message.retryDelaysMs,
    timeout_seconds: message.timeoutSeconds,
    callback_url: message.callbackUrl,
    failure_callback_url: message.failureCallbackUrl,
    callback_of: message.callbackOf,
    published_by: message.publishedBy,
    schedule_id: message.scheduleId ?? null,
    url_group_id: message.urlGroup?.id ?? null,
    url_group_endpoint_id: message.urlGroup?.endpointId ?? null,
    flow_control_key_id: message.flowControl?.keyId ?? null,
    flow_control_key: message.flowControl?.key ?? null,
    retry_of: message.retryOf ?? null,
    event_id: message.event?.id ?? null,
    subscription_id: message.event?.subscriptionId ?? null,
  };
}

function bytesOrNull(value: Buffer | null): string | null {
  return value === null ? null : `\\x${value.toString('hex')}`;
}

type Given = 'id' | 'kind' | 'url' | 'content' | 'redact' | 'callbackOf' | 'publishedBy';

/**
 * A message that the service makes by itself, a callback or an alert: a POST now, with the retries and the time-out of a message that asks
 * for none.
 */
export function ownMessage(given: Pick<NewMessage, Given>): NewMessage {
  return {
    ...given,
    method: 'POST',
    label: null,
    scheduledFor: null,
    maxRetries: MAX_RETRIES_DEFAULT,
    retryDelaysMs: null,
    timeoutSeconds: TIMEOUT_SECONDS_DEFAULT,
    callbackUrl: null,
    failureCallbackUrl: null,
  };
}

export type DeduplicationClaim =
  { fresh: true } | { fresh: false; earlier: { messageId: string; status: MessageStatus | null } };

/**
 * Takes the deduplication window of a digest for a message that this transaction is about to insert, or returns the message that
 * holds it. Among concurrent claims one is fresh; the others wait for its transaction. The status is null where the earlier
 * message belongs to this same transaction.
 */
export async function claimDeduplication(
  tx: EnvironmentTransaction,
  digest: Buffer,
  messageId: string,
): Promise<DeduplicationClaim> {
  const claimed = await tx.raw<{ rows: unknown[] }>(
    'claim_deduplication',
    `INSERT INTO message_deduplications AS d (environment_id, digest, message_id, expires_at)
     VALUES (current_environment_id(), :digest, :messageId, clock_timestamp() + make_interval(mins => :minutes))
     ON CONFLICT (environment_id, digest) DO UPDATE SET message_id = EXCLUDED.message_id, expires_at = EXCLUDED.expires_at
       WHERE d.expires_at <= clock_timestamp()
     RETURNING digest`,
    { digest, messageId, minutes: DEDUPLICATION_WINDOW_MINUTES },
  );
  if (claimed.rows.length > 0) return { fresh: true };
  const { rows } = await tx.raw<{ rows: { messageId: string; status: MessageStatus | null }[] }>(
    'claim_deduplication_2',
    `SELECT d.message_id AS "messageId", m.status FROM message_deduplications d LEFT JOIN messages m ON m.id = d.message_id
     WHERE d.environment_id = current_environment_id() AND d.digest = ?`,
    [digest],
  );
  const earlier = rows[0];
  if (earlier === undefined) throw new Error('a deduplication window vanished under its lock');
  return { fresh: false, earlier };
}
