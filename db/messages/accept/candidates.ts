import { createHash } from 'node:crypto';
import { canonicalJson } from '../../../domain/canonical-json.ts';
import { newId } from '../../../domain/ids.ts';
import type { Json } from '../../../domain/json.ts';
import { MAX_RETRIES_DEFAULT, TIMEOUT_SECONDS_DEFAULT } from '../../../domain/messages/messages.ts';
import type { FlowControlRequest, PublishRequest } from '../../../domain/messages/publish-request.ts';
import { parseDelaySeconds } from '../../../domain/messages/request.ts';
import { retryDelaysMs } from '../../../domain/messages/retry-expression.ts';
import { ServiceError } from '../../../domain/errors.ts';
import type { EnvironmentTransaction, Tenant } from '../../client.ts';
import type { Vault } from '../../secrets/vault.ts';
import { findUrlGroups, type TargetEndpoint } from '../../url-groups/find-url-groups.ts';
import type { NewMessage } from '../insert-messages.ts';
import { messageAssociatedData, type MessageContent, sealContent, shownHeaders } from '../records.ts';

/** One message that is to be accepted. */
export interface MessageDraft {
  request: PublishRequest;
  /** For a request to a URL group: the endpoint that this message is for. */
  endpoint?: TargetEndpoint;
  /** For the retry of a message: what it has of that one, and no request says. For the delivery of an event: what it is. */
  origin?: Partial<
    Pick<NewMessage, 'kind' | 'callbackOf' | 'scheduleId' | 'retryOf' | 'retryDelaysMs' | 'urlGroup' | 'event'>
  >;
  /** For a message whose id follows from its cause, so that accepting it again finds it. A new id otherwise. */
  id?: string;
  /** The schedule whose firing publishes it. */
  scheduleId?: string;
}

export interface Candidate {
  message: NewMessage;
  /** The digest of its deduplication, if it asks for one. */
  digest: Buffer | null;
  /** Its key is not known by id yet. */
  flowControl: FlowControlRequest | undefined;
}

/** What the messages of one request share: it is serialized once, however many endpoints its URL group has. */
export interface RequestContent {
  content: MessageContent;
  /** The size of one message. */
  bytes: number;
  /** Set where the request asks for `contentBasedDeduplication`. */
  fingerprint: string | null;
}

export function contentOf(request: PublishRequest): RequestContent {
  const content: MessageContent = { headers: request.headers ?? null, body: contentBody(request.body ?? null) };
  const bytes = Buffer.byteLength(content.body?.text ?? '', 'utf8') + JSON.stringify(content.headers).length;
  return { content, bytes, fingerprint: fingerprintOf(request, content) };
}

/** The row of a message, its secret parts sealed. */
export function candidateOf(
  vault: Pick<Vault, 'seal' | 'digests'>,
  tenant: Tenant,
  publishedBy: NewMessage['publishedBy'],
  { request, endpoint, origin, id = newId('message'), scheduleId }: MessageDraft,
  { content, fingerprint }: RequestContent,
): Candidate {
  const url = endpoint?.url ?? request.url;
  if (url === undefined) throw new Error('a request to a URL group is drafted for each endpoint first');
  const redact = request.redact ?? null;
  const method = request.method ?? 'POST';
  const maxRetries = endpoint?.retryCount ?? request.maxRetries ?? MAX_RETRIES_DEFAULT;
  const message: NewMessage = {
    id,
    kind: 'message',
    url,
    method,
    content: sealContent(vault, messageAssociatedData(tenant, id), content, redact),
    redact,
    label: request.label ?? null,
    scheduledFor: dueAt(request),
    maxRetries,
    timeoutSeconds: request.timeoutSeconds ?? TIMEOUT_SECONDS_DEFAULT,
    callbackUrl: request.callbackUrl ?? null,
    failureCallbackUrl: request.failureCallbackUrl ?? null,
    callbackOf: null,
    publishedBy,
    scheduleId,
    urlGroup: endpoint === undefined ? null : { id: endpoint.groupId, endpointId: endpoint.id },
    ...origin,
    // The delays of the first try, unless the request says others.
    retryDelaysMs:
      request.retryDelay === undefined
        ? (origin?.retryDelaysMs ?? null)
        : retryDelaysMs(request.retryDelay, maxRetries),
  };
  return {
    message,
    digest: deduplicationDigest(vault, request, fingerprint, { url, method, endpointId: endpoint?.id ?? null }),
    flowControl: request.flowControl,
  };
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

const digestOf = (value: Json): Buffer => createHash('sha256').update(canonicalJson(value), 'utf8').digest();

/** The values of credentials are left out: not even a digest of them is kept. */
function fingerprintOf(request: PublishRequest, { headers, body }: MessageContent): string | null {
  if (request.contentBasedDeduplication !== true) return null;
  return digestOf([shownHeaders(headers, request.redact ?? null), body?.kind ?? null, body?.text ?? null]).toString(
    'hex',
  );
}

/**
 * Each endpoint of a URL group has windows of its own, so that one that is added later gets its message. The digest of a body is kept under
 * a master key, because a short body that is redacted could be guessed from a plain one. With a new master key the windows begin anew.
 */
function deduplicationDigest(
  vault: Pick<Vault, 'digests'>,
  { deduplicationId }: PublishRequest,
  fingerprint: string | null,
  { url, method, endpointId }: { url: string; method: string; endpointId: string | null },
): Buffer | null {
  if (deduplicationId !== undefined) return digestOf(['id', deduplicationId, endpointId]);
  if (fingerprint === null) return null;
  const [keyed] = vault.digests('deduplication', fingerprint);
  return digestOf(['content', url, method, keyed, endpointId]);
}

/**
 * The messages that each request asks for: one for its URL, or one for each endpoint of its URL group as it is now. A request to a group
 * that is not there, or has no endpoints, gets the error instead.
 */
export async function draftMessages(
  tx: EnvironmentTransaction,
  requests: readonly PublishRequest[],
): Promise<(MessageDraft[] | ServiceError)[]> {
  const refs = requests.flatMap(({ urlGroup }) => (urlGroup === undefined ? [] : [urlGroup]));
  const groups = await findUrlGroups(tx, refs);
  return requests.map((request) => {
    if (request.urlGroup === undefined) return [{ request }];
    const endpoints = groups.get(request.urlGroup);
    if (endpoints === undefined) throw new Error(`URL group ${request.urlGroup} was asked for and not looked up`);
    return endpoints instanceof ServiceError ? endpoints : endpoints.map((endpoint) => ({ request, endpoint }));
  });
}

/** The same for one request; throws the error. */
export async function draftsOf(tx: EnvironmentTransaction, request: PublishRequest): Promise<MessageDraft[]> {
  const [drafts] = await draftMessages(tx, [request]);
  if (drafts === undefined) throw new Error('a request was drafted without a result');
  if (drafts instanceof ServiceError) throw drafts;
  return drafts;
}
