import {
  keepsSealed,
  type OriginalRequest,
  type RetryOverrides,
  retryRequest,
} from '../../domain/dead-letters/retry-request.ts';
import type { Json } from '../../domain/json.ts';
import type { MessageKind, MessageMethod } from '../../domain/messages/messages.ts';
import { REDACTED } from '../../domain/redacted.ts';
import type { Redaction } from '../../domain/messages/publish-request.ts';
import type { EnvironmentTransaction, Tenant } from '../client.ts';
import type { MessageDraft } from '../messages/accept/candidates.ts';
import { messageAssociatedData, openContent, type StoredContent } from '../messages/records.ts';
import { openedOrConflict, type SealedSecret, type Vault } from '../secrets/vault.ts';
import { acceptMessages, type Published, type Publisher } from '../messages/accept/accept-messages.ts';

/**
 * Deletes dead letters and answers the ids of those that this transaction deleted: among several that delete a record at once, one
 * has it. Their messages stay as they are.
 */
export async function deleteDeadLetters(tx: EnvironmentTransaction, messageIds: readonly string[]): Promise<string[]> {
  const rows = await tx.rows<{ messageId: string }>(
    'delete_dead_letters',
    `DELETE FROM dead_letters WHERE message_id = ANY(?) RETURNING message_id AS "messageId"`,
    [messageIds],
  );
  return rows.map((row) => row.messageId);
}

/** A message that failed, as it is stored. */
interface FailedMessage {
  id: string;
  kind: MessageKind;
  url: string;
  method: MessageMethod;
  content: StoredContent;
  redact: Redaction | null;
  label: string | null;
  maxRetries: number;
  retryDelaysMs: number[] | null;
  timeoutSeconds: number;
  callbackUrl: string | null;
  failureCallbackUrl: string | null;
  callbackOf: string | null;
  scheduleId: string | null;
  urlGroupId: string | null;
  endpointId: string | null;
  flowControlKey: string | null;
}

type Row = Omit<FailedMessage, 'content'> &
  Omit<StoredContent, 'sealed'> & { [Column in keyof SealedSecret]: SealedSecret[Column] | null };

/** The messages of dead letters, in the order of their ids. Those whose content is kept no longer are left out. */
export async function readFailedMessages(
  tx: EnvironmentTransaction,
  messageIds: readonly string[],
): Promise<FailedMessage[]> {
  const rows = await tx.rows<Row>(
    'read_failed_messages',
    `SELECT m.id, m.kind, m.url, m.method, c.headers, c.body, c.body_kind AS "bodyKind", c.body_sealed AS "bodySealed",
       c.master_key_version AS "masterKeyVersion", c.wrapped_data_key AS "wrappedDataKey", c.sealed_value AS "sealedValue",
       m.redact, m.label, m.max_retries AS "maxRetries", m.retry_delays_ms AS "retryDelaysMs",
       m.timeout_seconds AS "timeoutSeconds", m.callback_url AS "callbackUrl", m.failure_callback_url AS "failureCallbackUrl",
       m.callback_of AS "callbackOf", m.schedule_id AS "scheduleId", m.url_group_id AS "urlGroupId",
       m.url_group_endpoint_id AS "endpointId", m.flow_control_key AS "flowControlKey"
     FROM messages m JOIN message_contents c ON c.message_id = m.id
     WHERE m.id = ANY(?) AND m.status = 'failed' ORDER BY m.id`,
    [messageIds],
  );
  return rows.map(({ headers, body, bodyKind, bodySealed, masterKeyVersion, wrappedDataKey, sealedValue, ...rest }) => {
    const sealed =
      masterKeyVersion === null || wrappedDataKey === null || sealedValue === null
        ? null
        : { masterKeyVersion, wrappedDataKey, sealedValue };
    return { ...rest, content: { headers, body, bodyKind, bodySealed, sealed } };
  });
}

/** The message as its publisher asked for it. Throws where its sealed parts do not open. */
export function originalRequest(vault: Pick<Vault, 'open'>, tenant: Tenant, message: FailedMessage): OriginalRequest {
  const { content } = message;
  const opened = openContent(vault, messageAssociatedData(tenant, message.id), content);
  const { headers, body } = opened;
  return {
    url: message.url,
    method: message.method,
    headers,
    body: body === null ? null : body.kind === 'json' ? (JSON.parse(body.text) as Json) : body.text,
    sealedHeaders: Object.entries(content.headers ?? {}).flatMap(([name, shown]) =>
      shown === REDACTED && headers?.[name] !== REDACTED ? [name] : [],
    ),
    bodySealed: content.bodySealed,
    maxRetries: message.maxRetries,
    timeoutSeconds: message.timeoutSeconds,
    callbackUrl: message.callbackUrl ?? undefined,
    failureCallbackUrl: message.failureCallbackUrl ?? undefined,
    label: message.label ?? undefined,
    redact: message.redact ?? undefined,
    // With the limits that the key has now: those that the message once brought are no news.
    flowControl: message.flowControlKey === null ? undefined : { key: message.flowControlKey },
  };
}

/** What the retry of a message keeps, whatever the request changes. A `retryDelay` of null takes the delays of the first try away. */
export function originOf(
  message: FailedMessage,
  { retryDelay }: Pick<RetryOverrides, 'retryDelay'> = {},
): NonNullable<MessageDraft['origin']> {
  const { urlGroupId, endpointId } = message;
  return {
    kind: message.kind,
    callbackOf: message.callbackOf,
    scheduleId: message.scheduleId,
    retryOf: message.id,
    retryDelaysMs: retryDelay === null ? null : message.retryDelaysMs,
    urlGroup: urlGroupId === null || endpointId === null ? null : { id: urlGroupId, endpointId },
  };
}

/**
 * Makes a new message of a dead letter and deletes the record, in the caller's transaction. Deleting comes first: of two retries at once
 * the second waits, and finds nothing. Null if there is no such record, or its message is no longer kept.
 *
 * @throws {ServiceError} VALIDATION_ERROR, CONFLICT where the kept content cannot be opened, and what `acceptMessages` throws; the record
 * stays then.
 */
export async function retryDeadLetter(
  tx: EnvironmentTransaction,
  vault: Pick<Vault, 'open' | 'seal' | 'digests'>,
  publisher: Publisher,
  messageId: string,
  overrides: RetryOverrides,
): Promise<Published | null> {
  const deleted = await deleteDeadLetters(tx, [messageId]);
  if (deleted.length === 0) return null;
  const [message] = await readFailedMessages(tx, deleted);
  if (message === undefined) return null;
  const request = retryRequest(opened(vault, publisher, message, overrides), overrides);
  const [published] = await acceptMessages(tx, vault, publisher, [{ request, origin: originOf(message, overrides) }]);
  if (published === undefined) throw new Error('a message was accepted without a result');
  return published;
}

/** A caller who gives all sealed parts again must succeed, even if the earlier content cannot be opened. */
function opened(
  vault: Pick<Vault, 'open'>,
  { tenant }: Publisher,
  message: FailedMessage,
  overrides: RetryOverrides,
): OriginalRequest {
  const { content } = message;
  const sealed = keepsSealed(content, overrides) ? content.sealed : null;
  return openedOrConflict(
    () => originalRequest(vault, tenant, { ...message, content: { ...content, sealed } }),
    'The sealed content of the message does not open. Give its sealed headers, and its body if that is redacted, anew.',
  );
}
