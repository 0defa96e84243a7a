import { createHash } from 'node:crypto';
import { canonicalJson } from '../../../domain/canonical-json.ts';
import { newId } from '../../../domain/ids.ts';
import type { Json } from '../../../domain/json.ts';
import { MAX_RETRIES_DEFAULT, TIMEOUT_SECONDS_DEFAULT } from '../../../domain/messages/messages.ts';
import type { PublishRequest } from '../../../domain/messages/publish-request.ts';
import { parseDelaySeconds } from '../../../domain/messages/request.ts';
import { retryDelaysMs } from '../../../domain/messages/retry-expression.ts';
import type { Tenant } from '../../client.ts';
import type { Vault } from '../../secrets/vault.ts';
import type { NewMessage } from '../insert-messages.ts';
import { messagePlace, sealContent, shownHeaders, type MessageContent } from '../message-content.ts';

/** One message that is to be accepted. */
export interface MessageDraft {
  request: PublishRequest;
  /** For a message whose id follows from its cause, so that accepting it again finds it. A new id otherwise. */
  id?: string;
}

export interface Candidate {
  message: NewMessage;
  /** The digest of its deduplication, if it asks for one. */
  digest: Buffer | null;
}

/** The row of a message, its secret parts sealed. */
export function candidateOf(
  vault: Pick<Vault, 'seal'>,
  tenant: Tenant,
  publishedBy: NewMessage['publishedBy'],
  { request, id = newId('message') }: MessageDraft,
): Candidate {
  const content: MessageContent = { headers: request.headers ?? null, body: contentBody(request.body ?? null) };
  const redact = request.redact ?? null;
  const method = request.method ?? 'POST';
  const maxRetries = request.maxRetries ?? MAX_RETRIES_DEFAULT;
  const message: NewMessage = {
    id,
    kind: 'message',
    url: request.url,
    method,
    content: sealContent(vault, messagePlace(tenant, id), content, redact),
    redact,
    label: request.label ?? null,
    scheduledFor: dueAt(request),
    maxRetries,
    retryDelaysMs: request.retryDelay === undefined ? null : retryDelaysMs(request.retryDelay, maxRetries),
    timeoutSeconds: request.timeoutSeconds ?? TIMEOUT_SECONDS_DEFAULT,
    callbackUrl: request.callbackUrl ?? null,
    failureCallbackUrl: request.failureCallbackUrl ?? null,
    callbackOf: null,
    publishedBy,
  };
  return { message, digest: deduplicationDigest(request, method, content) };
}

/** A string is sent as it is: its publisher wrote the bytes. */
function contentBody(body: Json): MessageContent['body'] {
  if (body === null) return null;
  return typeof body === 'string' ? { kind: 'text', text: body } : { kind: 'json', text: JSON.stringify(body) };
}

function dueAt(request: PublishRequest): Date | null {
  if (request.scheduledFor !== undefined) return new Date(request.scheduledFor);
  if (request.delay === undefined) return null;
  const seconds = typeof request.delay === 'number' ? request.delay : (parseDelaySeconds(request.delay) ?? 0);
  return seconds === 0 ? null : new Date(Date.now() + seconds * 1_000);
}

/** The values of credentials are left out: not even a digest of them is kept. */
function deduplicationDigest(request: PublishRequest, method: string, content: MessageContent): Buffer | null {
  const digestOf = (value: Json): Buffer => createHash('sha256').update(canonicalJson(value), 'utf8').digest();
  if (request.deduplicationId !== undefined) return digestOf(['id', request.deduplicationId]);
  if (request.contentBasedDeduplication !== true) return null;
  const headers = shownHeaders(content.headers, request.redact ?? null);
  return digestOf(['content', request.url, method, headers, content.body?.kind ?? null, content.body?.text ?? null]);
}
