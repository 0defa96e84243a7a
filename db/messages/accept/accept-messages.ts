import { setImmediate } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { limitsOf } from '../../../domain/flow-control/flow-control.ts';
import { validationError } from '../../../domain/errors.ts';
import { CONTENT_PER_REQUEST_BYTES_MAX, type MessageStatus } from '../../../domain/messages/messages.ts';
import type { PublishRequest } from '../../../domain/messages/publish-request.ts';
import { admitToBudget } from '../../budgets/admission.ts';
import type { EnvironmentTransaction, Tenant } from '../../client.ts';
import { ensureKeys } from '../../flow-control/changes.ts';
import { refuseWhileHalted } from '../../environments/halt.ts';
import { consumeAllowance, refuseUsedUp } from '../../plans/allowances.ts';
import type { Vault } from '../../secrets/vault.ts';
import { ensureSigningKey, hasSigningKey } from '../../signing-keys/signing-keys.ts';
import { claimDeduplication, insertMessages, type NewMessage } from '../insert-messages.ts';
import { type Candidate, candidateOf, contentOf, type MessageDraft, type RequestContent } from './candidates.ts';

/** The publisher of accepted messages: a caller of the API, or the creator of the schedule or job that publishes them. */
export interface Publisher {
  tenant: Tenant;
  /** Kept with each message. */
  publishedBy: NewMessage['publishedBy'];
  /** The key whose budget is charged; null for a person, who has none. */
  apiKeyId: string | null;
  /** True: what it publishes while the environment is halted is kept, and delivered after the resumption. */
  publishesWhileHalted: boolean;
}

export interface Published {
  messageId: string;
  status: MessageStatus;
  deduplicated: boolean;
}

export interface AcceptOptions {
  /** What the key's budget is charged: of a batch all its items, also those that are not valid (docs/budgets.md, "What counts"). */
  planned?: number;
  /** The caller sends nothing behind this: the COMMIT goes with the last statements, so that counters are locked for one round trip. */
  commits?: boolean;
}

/**
 * Accepts messages, all in the given transaction, and answers one result for each in order. Every message that is not a callback
 * comes in here.
 *
 * @throws {ServiceError} SERVICE_UNAVAILABLE while the environment is halted; QUOTA_EXCEEDED, BUDGET_EXCEEDED. The caller lets the
 * transaction roll back, and nothing is accepted.
 */
export async function acceptMessages(
  tx: EnvironmentTransaction,
  vault: Pick<Vault, 'seal' | 'digests'>,
  publisher: Publisher,
  drafts: readonly MessageDraft[],
  { planned = drafts.length, commits = false }: AcceptOptions = {},
): Promise<Published[]> {
  const contents = contentsOf(drafts);
  const isEachPlain = drafts.length > 0 && drafts.every(isPlain);
  const accept = isEachPlain ? acceptPlain : acceptFoundOut;
  const { hasKey, published } = await accept(
    tx,
    vault,
    publisher,
    { drafts, contents },
    { planned, commits: commits && knowsSigningKey(publisher.tenant) },
  );
  // Its lock comes last: while some publishes took it before the allowance's, two first ones of a workspace were a deadlock.
  if (!hasKey) await ensureSigningKey(tx, vault, publisher.tenant.workspaceId);
  else noteSigningKey(publisher.tenant);
  return published;
}

interface Accepted {
  /** Whether the workspace has a signing key. */
  hasKey: boolean;
  published: Published[];
}

interface Drafted {
  drafts: readonly MessageDraft[];
  contents: ReadonlyMap<PublishRequest, RequestContent>;
}

/** Finds out first which of them are there already, and their flow-control keys. */
async function acceptFoundOut(
  tx: EnvironmentTransaction,
  vault: Pick<Vault, 'seal' | 'digests'>,
  publisher: Publisher,
  { drafts, contents }: Drafted,
  { planned }: Required<AcceptOptions>,
): Promise<Accepted> {
  const [hasKey] = await tx.inOrder(
    () => hasSigningKey(tx),
    () => admit(tx, publisher, planned),
  );
  const candidates = await candidatesOf(vault, publisher, drafts, contents);
  const earlier = await claimAll(tx, candidates);
  const fresh = candidates.filter(({ message }) => !earlier.has(message.id));
  const messages = await withKeys(tx, fresh);
  const statuses = await insertMessages(tx, messages);
  if (fresh.length > 0) {
    await tx.inOrder(
      () => refuseUsedUp(tx, 'egress'),
      () => consumeAllowance(tx, 'messages', fresh.length),
    );
  }
  const published = candidates.map(({ message }) => {
    const first = earlier.get(message.id);
    const messageId = first?.messageId ?? message.id;
    const status = first?.status ?? statuses.get(messageId);
    if (status === undefined) throw new Error('a message that was accepted has no status');
    return { messageId, status, deduplicated: first !== undefined };
  });
  return { hasKey, published };
}

/** Refuses all of the messages. Counters are locked last: that of the key, then that of the month. */
async function admit(tx: EnvironmentTransaction, publisher: Publisher, planned: number): Promise<void> {
  await tx.inOrder(refusalByHalt(tx, publisher), chargeBudget(tx, publisher, planned));
}

function refusalByHalt(tx: EnvironmentTransaction, { publishesWhileHalted }: Publisher): (() => Promise<void>) | null {
  return publishesWhileHalted ? null : () => refuseWhileHalted(tx);
}

function chargeBudget(
  tx: EnvironmentTransaction,
  { apiKeyId }: Publisher,
  count: number,
): (() => Promise<void>) | null {
  return apiKeyId === null ? null : () => admitToBudget(tx, { apiKeyId, kind: 'messages', count });
}

/** Workspaces that have a signing key, which they never lose again. */
const WITH_SIGNING_KEY = new LRUCache<string, true>({ max: 10_000 });

function knowsSigningKey({ workspaceId }: Tenant): boolean {
  return WITH_SIGNING_KEY.has(workspaceId);
}

function noteSigningKey({ workspaceId }: Tenant): void {
  WITH_SIGNING_KEY.set(workspaceId, true);
}

/** Nothing has to be found out before its row can be written. */
function isPlain({ request }: MessageDraft): boolean {
  const { deduplicationId, contentBasedDeduplication, flowControl } = request;
  return deduplicationId === undefined && contentBasedDeduplication !== true && flowControl === undefined;
}

/** So many that their statement costs little beside its rows, and so few that the next are made ready while PostgreSQL writes them. */
const ROWS_AT_ONCE = 200;
const SEALED_AT_ONCE_BYTES_MAX = 1024 * 1024;

/**
 * A single message takes one round trip: it is written even if it is refused, and rolled back. While PostgreSQL writes some rows of a batch,
 * the next are prepared. Counters are locked last.
 */
async function acceptPlain(
  tx: EnvironmentTransaction,
  vault: Pick<Vault, 'seal' | 'digests'>,
  publisher: Publisher,
  { drafts, contents }: Drafted,
  { planned, commits }: Required<AcceptOptions>,
): Promise<Accepted> {
  const rowsOf = (some: readonly MessageDraft[]): NewMessage[] =>
    some.map((draft) => candidateFor(vault, publisher, draft, contents).message);
  const isKnown = knowsSigningKey(publisher.tenant);
  const inFront = [isKnown ? null : () => hasSigningKey(tx), refusalByHalt(tx, publisher)] as const;
  const charge = [
    () => refuseUsedUp(tx, 'egress'),
    chargeBudget(tx, publisher, planned),
    () => consumeAllowance(tx, 'messages', drafts.length),
  ] as const;
  if (drafts.length === 1) {
    const steps = [...inFront, () => insertMessages(tx, rowsOf(drafts)), ...charge] as const;
    const [hasKey, , statuses] = commits ? await tx.last(...steps) : await tx.inOrder(...steps);
    return { hasKey: hasKey ?? true, published: publishedOf(statuses) };
  }
  const [hasKey] = await tx.inOrder(...inFront);
  const statuses = new Map<string, MessageStatus>();
  const order: string[] = [];
  let inserting: Promise<Map<string, MessageStatus>> | null = null;
  const inserted = async (): Promise<void> => (await inserting)?.forEach((status, id) => statuses.set(id, status));
  for (const some of inPortions(drafts, contents)) {
    const messages = rowsOf(some);
    order.push(...messages.map(({ id }) => id));
    await inserted();
    inserting = insertMessages(tx, messages);
    inserting.catch(() => undefined); // awaited before the next, or below
    await setImmediate(); // other requests have their turn
  }
  await inserted();
  await (commits ? tx.last(...charge) : tx.inOrder(...charge));
  return { hasKey: hasKey ?? true, published: publishedOf(new Map(order.map((id) => [id, statuses.get(id)]))) };
}

/** In the order of the map. */
function publishedOf(statuses: ReadonlyMap<string, MessageStatus | undefined>): Published[] {
  return [...statuses].map(([messageId, status]) => {
    if (status === undefined) throw new Error('a message that was accepted has no status');
    return { messageId, status, deduplicated: false };
  });
}

/** Each is written by one statement. Sealing large content in one go would hold up every other request of the process. */
function* inPortions(
  drafts: readonly MessageDraft[],
  contents: ReadonlyMap<PublishRequest, RequestContent>,
): Generator<MessageDraft[]> {
  let portion: MessageDraft[] = [];
  let bytes = 0;
  for (const draft of drafts) {
    portion.push(draft);
    bytes += contents.get(draft.request)?.bytes ?? 0;
    if (portion.length < ROWS_AT_ONCE && bytes < SEALED_AT_ONCE_BYTES_MAX) continue;
    yield portion;
    [portion, bytes] = [[], 0];
  }
  if (portion.length > 0) yield portion;
}

/** The messages with the ids of their flow-control keys, which are created, or given the limits that the messages bring. */
async function withKeys(tx: EnvironmentTransaction, candidates: readonly Candidate[]): Promise<NewMessage[]> {
  const wanted = candidates.flatMap(({ flowControl }) =>
    flowControl === undefined ? [] : [{ key: flowControl.key, limits: limitsOf(flowControl) }],
  );
  const keyIds = await ensureKeys(tx, wanted);
  return candidates.map(({ message, flowControl }) => {
    if (flowControl === undefined) return message;
    const keyId = keyIds.get(flowControl.key);
    if (keyId === undefined) throw new Error('a flow-control key was ensured and is not there');
    return { ...message, flowControl: { keyId, key: flowControl.key } };
  });
}

/** By its request. @throws {ServiceError} VALIDATION_ERROR where all messages together are too large. */
function contentsOf(drafts: readonly MessageDraft[]): Map<PublishRequest, RequestContent> {
  const contents = new Map<PublishRequest, RequestContent>();
  for (const { request } of drafts) if (!contents.has(request)) contents.set(request, contentOf(request));
  refuseTooMuch(drafts.reduce((sum, { request }) => sum + (contents.get(request)?.bytes ?? 0), 0));
  return contents;
}

async function candidatesOf(
  vault: Pick<Vault, 'seal' | 'digests'>,
  publisher: Publisher,
  drafts: readonly MessageDraft[],
  contents: ReadonlyMap<PublishRequest, RequestContent>,
): Promise<Candidate[]> {
  const candidates: Candidate[] = [];
  for (const some of inPortions(drafts, contents)) {
    await setImmediate(); // the statements that were given before leave first
    candidates.push(...some.map((draft) => candidateFor(vault, publisher, draft, contents)));
  }
  return candidates;
}

function candidateFor(
  vault: Pick<Vault, 'seal' | 'digests'>,
  { tenant, publishedBy }: Publisher,
  draft: MessageDraft,
  contents: ReadonlyMap<PublishRequest, RequestContent>,
): Candidate {
  return candidateOf(vault, tenant, publishedBy, draft, contents.get(draft.request) ?? contentOf(draft.request));
}

function refuseTooMuch(bytes: number): void {
  if (bytes <= CONTENT_PER_REQUEST_BYTES_MAX) return;
  const mebibytes = CONTENT_PER_REQUEST_BYTES_MAX / 1024 ** 2;
  throw validationError([
    {
      path: 'body',
      message: `would make ${bytes} bytes of messages; at most ${mebibytes} MiB are made at once. Each endpoint of a URL group has a copy: send a smaller body, or a link to it`,
    },
  ]);
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
