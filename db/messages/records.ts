import { isJsonObject, type Json } from '../../domain/json.ts';
import { REDACTED } from '../../domain/redacted.ts';
import type { Redaction } from '../../domain/messages/publish-request.ts';
import { isSensitiveHeader } from '../../domain/messages/request.ts';
import type { MessageMethod, MessageStatus } from '../../domain/messages/messages.ts';
import type { Tenant } from '../client.ts';
import type { SealedSecret, SecretContext, Vault } from '../secrets/vault.ts';
import type { Shortened } from '../columns.ts';

/** The content that a delivery sends. */
export interface MessageContent {
  headers: Record<string, string> | null;
  /** The exact text, and whether it is JSON that the service serialized. */
  body: { kind: 'text' | 'json'; text: string } | null;
}

/** The columns with a message's content: unencrypted where readers may see it, sealed otherwise. */
export interface StoredContent {
  headers: Record<string, string> | null;
  body: string | null;
  bodyKind: 'none' | 'text' | 'json';
  bodySealed: boolean;
  sealed: SealedSecret | null;
}

/** The associated data of a message's sealed content. No secret's name holds a slash, so the two never collide. */
export function messageAssociatedData({ workspaceId, environmentId }: Tenant, messageId: string): SecretContext {
  return { workspaceId, environmentId, name: `message/${messageId}`, version: 1 };
}

/** The headers, with secret values removed, as they may be shown and stored. */
export function shownHeaders(
  headers: Record<string, string> | null,
  redaction: Redaction | null,
): Record<string, string> | null {
  if (headers === null) return null;
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, isSealedHeader(name, redaction) ? REDACTED : value]),
  );
}

function isSealedHeader(name: string, redaction: Redaction | null): boolean {
  const named = redaction?.headers;
  if (named === true || isSensitiveHeader(name)) return true;
  return Array.isArray(named) && named.some((other) => other.toLowerCase() === name.toLowerCase());
}

/** Seals the content that readers may not see, for this message only. */
export function sealContent(
  vault: Pick<Vault, 'seal'>,
  associatedData: SecretContext,
  content: MessageContent,
  redaction: Redaction | null,
): StoredContent {
  const { headers, body } = content;
  const hidden = Object.entries(headers ?? {}).filter(([name]) => isSealedHeader(name, redaction));
  const bodySealed = body !== null && redaction?.body === true;
  const box = { headers: Object.fromEntries(hidden), body: bodySealed ? body.text : null };
  return {
    headers: shownHeaders(headers, redaction),
    body: bodySealed ? null : (body?.text ?? null),
    bodyKind: body?.kind ?? 'none',
    bodySealed,
    sealed: hidden.length > 0 || bodySealed ? vault.seal(associatedData, JSON.stringify(box)) : null,
  };
}

/**
 * Returns the content as it is sent, and its secret parts: the sealed header values, and a sealed body. No row or log may contain
 * those.
 */
export function openContent(
  vault: Pick<Vault, 'open'>,
  associatedData: SecretContext,
  stored: StoredContent,
): MessageContent & { secrets: string[]; secretBody: string | null } {
  const { headers, body, bodyKind, sealed } = stored;
  const hidden = sealed === null ? { headers: {}, body: null } : boxOf(vault.open(associatedData, sealed));
  const text = hidden.body ?? body;
  return {
    headers: headers === null ? null : { ...headers, ...hidden.headers },
    body: bodyKind === 'none' || text === null ? null : { kind: bodyKind, text },
    secrets: Object.values(hidden.headers),
    secretBody: hidden.body,
  };
}

function boxOf(text: string): { headers: Record<string, string>; body: string | null } {
  const box = JSON.parse(text) as Json;
  if (!isJsonObject(box) || !isJsonObject(box['headers'])) throw new Error('a sealed message is not of our making');
  const headers = Object.fromEntries(
    Object.entries(box['headers']).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  ) as Record<string, string>;
  return { headers, body: typeof box['body'] === 'string' ? box['body'] : null };
}

/** A message as the API shows it. */
export interface MessageRecord {
  id: string;
  url: string;
  method: MessageMethod;
  headers: Record<string, string> | null;
  body: string | null;
  /** Null after the content was deleted, which is earlier than the record. */
  bodyKind: StoredContent['bodyKind'] | null;
  bodySealed: boolean | null;
  scheduledFor: Date | null;
  status: MessageStatus;
  attempts: number;
  maxRetries: number;
  responseStatus: number | null;
  responseBody: Buffer | null;
  errorMessage: string | null;
  deliveredAt: Date | null;
  failedAt: Date | null;
  callbackUrl: string | null;
  failureCallbackUrl: string | null;
  flowControlKey: string | null;
  /** The message whose dead letter this one retries. */
  retryOf: string | null;
  label: string | null;
  /** The schedule that published it. */
  scheduleId: string | null;
  /** The URL group that it was published to. */
  urlGroupId: string | null;
  /** Null once it has ended. */
  nextAttemptAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

/** For lists: large headers are shortened, and so is a large body; `body` is then null. */
export type ListedMessageRecord = Omit<MessageRecord, 'headers'> & {
  headers: Record<string, string> | Shortened | null;
  shortenedBody: Shortened | null;
};

export const MESSAGE_COLUMNS = {
  id: 'messages.id',
  url: 'messages.url',
  method: 'messages.method',
  headers: 'message_contents.headers',
  body: 'message_contents.body',
  bodyKind: 'message_contents.body_kind',
  bodySealed: 'message_contents.body_sealed',
  scheduledFor: 'messages.scheduled_for',
  status: 'messages.status',
  attempts: 'messages.attempts',
  maxRetries: 'messages.max_retries',
  responseStatus: 'messages.response_status',
  errorMessage: 'messages.error_message',
  deliveredAt: 'messages.delivered_at',
  failedAt: 'messages.failed_at',
  callbackUrl: 'messages.callback_url',
  failureCallbackUrl: 'messages.failure_callback_url',
  flowControlKey: 'messages.flow_control_key',
  retryOf: 'messages.retry_of',
  label: 'messages.label',
  scheduleId: 'messages.schedule_id',
  urlGroupId: 'messages.url_group_id',
  nextAttemptAt: `CASE WHEN messages.status IN ('pending', 'scheduled', 'processing') THEN messages.next_attempt_at END`,
  createdAt: 'messages.created_at',
  updatedAt: 'messages.updated_at',
} as const;

/** To `messages`. */
export const CONTENT_JOIN = 'LEFT JOIN message_contents ON message_contents.message_id = messages.id';
export const MESSAGE_TABLES = `messages ${CONTENT_JOIN}`;

/** The response's body of a message's newest ended attempt. */
export const responseBodyOf = (id: string): string =>
  `(SELECT a.response_body FROM message_attempts a WHERE a.message_id = ${id} AND a.status <> 'started'
    ORDER BY a.number DESC LIMIT 1) AS "responseBody"`;
