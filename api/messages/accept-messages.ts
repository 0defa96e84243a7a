import { createHash } from 'node:crypto';
import type { EnvironmentTransaction, Tenant } from '../../db/client.ts';
import { admitToBudget } from '../../db/budgets/admit-to-budget.ts';
import { readHalt } from '../../db/environments/read-halt.ts';
import { claimDeduplication } from '../../db/messages/claim-deduplication.ts';
import { insertMessages, type NewMessage } from '../../db/messages/insert-messages.ts';
import { messagePlace, sealContent, shownHeaders, type MessageContent } from '../../db/messages/message-content.ts';
import type { Vault } from '../../db/secrets/vault.ts';
import { consumeAllowance } from '../../db/plans/consume-allowance.ts';
import { refuseUsedUpEgress } from '../../db/plans/refuse-used-up-egress.ts';
import { ensureSigningKey } from '../../db/signing-keys/ensure-signing-key.ts';
import { canonicalJson } from '../../domain/canonical-json.ts';
import { ServiceError } from '../../domain/errors.ts';
import { newId } from '../../domain/ids.ts';
import type { Json } from '../../domain/json.ts';
import { MAX_RETRIES_DEFAULT, type MessageStatus, TIMEOUT_SECONDS_DEFAULT } from '../../domain/messages/messages.ts';
import { parseDelaySeconds } from '../../domain/messages/request.ts';
import { retryDelaysMs } from '../../domain/messages/retry-expression.ts';
import type { Actor, Caller } from '../http/define-route.ts';
import type { PublishBody } from './body-schemas.ts';

export interface Published {
  messageId: string;
  status: MessageStatus;
  deduplicated: boolean;
}

interface Candidate {
  message: NewMessage;
  /** The digest of its deduplication, if it asks for one. */
  digest: Buffer | null;
}

/**
 * Accepts messages, all in the caller's transaction, and answers one result for each in order. While the environment is halted
 * only a key that holds `messages:ingest` may publish; what it publishes is kept. `planned` is what the key's budget is charged:
 * of a batch all its items, also those that are not valid (docs/budgets.md, "What counts").
 *
 * @throws {ServiceError} SERVICE_UNAVAILABLE while the environment is halted; QUOTA_EXCEEDED, BUDGET_EXCEEDED, and nothing is accepted.
 */
export async function acceptMessages(
  tx: EnvironmentTransaction,
  vault: Pick<Vault, 'seal'>,
  publisher: { caller: Caller; actor: Actor },
  bodies: readonly PublishBody[],
  planned: number = bodies.length,
): Promise<Published[]> {
  await refuseWhileHalted(tx, publisher.caller);
  if (publisher.caller.type === 'api_key') {
    await admitToBudget(tx, { apiKeyId: publisher.caller.keyId, kind: 'messages', count: planned });
  }
  const { tenant } = publisher.caller;
  await ensureSigningKey(tx, vault, tenant.workspaceId);
  const candidates = bodies.map((body) => candidateOf(vault, tenant, publisher.actor, body));
  const earlier = await claimAll(tx, candidates);
  const fresh = candidates.filter(({ message }) => !earlier.has(message.id));
  const statuses = await insertMessages(
    tx,
    fresh.map(({ message }) => message),
  );
  if (fresh.length > 0) {
    await refuseUsedUpEgress(tx);
    await consumeAllowance(tx, 'messages', fresh.length);
  }
  return candidates.map(({ message }) => {
    const first = earlier.get(message.id);
    const messageId = first?.messageId ?? message.id;
    const status = first?.status ?? statuses.get(messageId);
    if (status === undefined) throw new Error('a message that was accepted has no status');
    return { messageId, status, deduplicated: first !== undefined };
  });
}

async function refuseWhileHalted(tx: EnvironmentTransaction, caller: Caller): Promise<void> {
  if (caller.scopes.has('messages:ingest')) return;
  const halt = await readHalt(tx);
  if (halt === null) return;
  throw new ServiceError('SERVICE_UNAVAILABLE', {
    message:
      `The environment is halted since ${halt.haltedAt.toISOString()}: ${halt.reason}. Publish again when it is resumed, or with ` +
      'a key that holds messages:ingest; its messages are kept and delivered then.',
  });
}

/** The duplicates of earlier messages, by the id that each would have had. */
async function claimAll(
  tx: EnvironmentTransaction,
  candidates: readonly Candidate[],
): Promise<Map<string, { messageId: string; status: MessageStatus | null }>> {
  const earlier = new Map<string, { messageId: string; status: MessageStatus | null }>();
  // In the order of the digests, so that two batches never wait for each other; ties stay in the caller's order.
  const asking = candidates
    .flatMap(({ message, digest }) => (digest === null ? [] : [{ id: message.id, digest }]))
    .toSorted((left, right) => Buffer.compare(left.digest, right.digest));
  for (const { id, digest } of asking) {
    const claim = await claimDeduplication(tx, digest, id);
    if (!claim.fresh) earlier.set(id, claim.earlier);
  }
  return earlier;
}

function candidateOf(vault: Pick<Vault, 'seal'>, tenant: Tenant, actor: Actor, body: PublishBody): Candidate {
  const id = newId('message');
  const content: MessageContent = { headers: body.headers ?? null, body: contentBody(body.body ?? null) };
  const redact = body.redact ?? null;
  const method = body.method ?? 'POST';
  const maxRetries = body.maxRetries ?? MAX_RETRIES_DEFAULT;
  const message: NewMessage = {
    id,
    kind: 'message',
    url: body.url,
    method,
    content: sealContent(vault, messagePlace(tenant, id), content, redact),
    redact,
    label: body.label ?? null,
    scheduledFor: dueAt(body),
    maxRetries,
    retryDelaysMs: body.retryDelay === undefined ? null : retryDelaysMs(body.retryDelay, maxRetries),
    timeoutSeconds: body.timeoutSeconds ?? TIMEOUT_SECONDS_DEFAULT,
    callbackUrl: body.callbackUrl ?? null,
    failureCallbackUrl: body.failureCallbackUrl ?? null,
    callbackOf: null,
    publishedBy: actor,
  };
  return { message, digest: deduplicationDigest(body, method, content) };
}

/** A string is sent as it is: its publisher wrote the bytes. */
function contentBody(body: Json): MessageContent['body'] {
  if (body === null) return null;
  return typeof body === 'string' ? { kind: 'text', text: body } : { kind: 'json', text: JSON.stringify(body) };
}

function dueAt(body: PublishBody): Date | null {
  if (body.scheduledFor !== undefined) return new Date(body.scheduledFor);
  if (body.delay === undefined) return null;
  const seconds = typeof body.delay === 'number' ? body.delay : (parseDelaySeconds(body.delay) ?? 0);
  return seconds === 0 ? null : new Date(Date.now() + seconds * 1_000);
}

/** The values of credentials are left out: not even a digest of them is kept. */
function deduplicationDigest(body: PublishBody, method: string, content: MessageContent): Buffer | null {
  const digestOf = (value: Json): Buffer => createHash('sha256').update(canonicalJson(value), 'utf8').digest();
  if (body.deduplicationId !== undefined) return digestOf(['id', body.deduplicationId]);
  if (body.contentBasedDeduplication !== true) return null;
  const headers = shownHeaders(content.headers, body.redact ?? null);
  return digestOf(['content', body.url, method, headers, content.body?.kind ?? null, content.body?.text ?? null]);
}
