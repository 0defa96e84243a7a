import type { JsonObject } from '../../domain/json.ts';
import type { MessageKind, MessageMethod, MessageStatus } from '../../domain/messages/messages.ts';
import type { EnvironmentTransaction } from '../client.ts';
import type { Redaction, StoredContent } from './message-content.ts';

export interface NewMessage {
  id: string;
  kind: MessageKind;
  url: string;
  method: MessageMethod;
  content: StoredContent;
  redact: Redaction | null;
  label: string | null;
  /** Null: at once. */
  scheduledFor: Date | null;
  maxRetries: number;
  retryDelaysMs: number[] | null;
  timeoutSeconds: number;
  callbackUrl: string | null;
  failureCallbackUrl: string | null;
  /** The message whose end this one tells of. */
  callbackOf: string | null;
  publishedBy: { type: string; id: string | null };
}

/** Rows in one statement; each has about thirty parameters, of which PostgreSQL takes 65,535. */
const ROWS_PER_STATEMENT = 200;

/** Accepts messages. Answers the status of each: `scheduled` where it is due later. */
export async function insertMessages(
  tx: EnvironmentTransaction,
  messages: readonly NewMessage[],
): Promise<Map<string, MessageStatus>> {
  const statuses = new Map<string, MessageStatus>();
  for (let from = 0; from < messages.length; from += ROWS_PER_STATEMENT) {
    const rows = await tx('messages')
      .insert(messages.slice(from, from + ROWS_PER_STATEMENT).map((message) => rowOf(tx, message)))
      .returning<{ id: string; status: MessageStatus }[]>(['id', 'status']);
    for (const { id, status } of rows) statuses.set(id, status);
  }
  return statuses;
}

function rowOf(tx: EnvironmentTransaction, message: NewMessage): Record<string, unknown> {
  const { content, scheduledFor } = message;
  const { sealed } = content;
  return {
    id: message.id,
    environment_id: tx.expression('current_environment_id()'),
    kind: message.kind,
    url: message.url,
    method: message.method,
    headers: jsonOrNull(content.headers),
    body: content.body,
    body_kind: content.bodyKind,
    body_sealed: content.bodySealed,
    master_key_version: sealed?.masterKeyVersion ?? null,
    wrapped_data_key: sealed?.wrappedDataKey ?? null,
    sealed_value: sealed?.sealedValue ?? null,
    redact: jsonOrNull(message.redact as JsonObject | null),
    label: message.label,
    scheduled_for: scheduledFor,
    max_retries: message.maxRetries,
    retry_delays_ms: message.retryDelaysMs,
    timeout_seconds: message.timeoutSeconds,
    callback_url: message.callbackUrl,
    failure_callback_url: message.failureCallbackUrl,
    callback_of: message.callbackOf,
    published_by: JSON.stringify(message.publishedBy),
    status: tx.expression(`CASE WHEN CAST(? AS timestamptz) > now() THEN 'scheduled' ELSE 'pending' END`, [
      scheduledFor,
    ]),
    next_attempt_at: tx.expression('COALESCE(?, now())', [scheduledFor]),
  };
}

function jsonOrNull(value: JsonObject | null): string | null {
  return value === null ? null : JSON.stringify(value);
}
