import { ServiceError } from '../../../domain/errors.ts';
import type { MessageStatus } from '../../../domain/messages/messages.ts';
import { admitToBudget } from '../../budgets/admit-to-budget.ts';
import type { EnvironmentTransaction, Tenant } from '../../client.ts';
import { readHalt } from '../../environments/read-halt.ts';
import { consumeAllowance } from '../../plans/consume-allowance.ts';
import { refuseUsedUpEgress } from '../../plans/refuse-used-up-egress.ts';
import type { Vault } from '../../secrets/vault.ts';
import { ensureSigningKey } from '../../signing-keys/ensure-signing-key.ts';
import { claimDeduplication } from '../claim-deduplication.ts';
import { insertMessages, type NewMessage } from '../insert-messages.ts';
import { type Candidate, candidateOf, type MessageDraft } from './message-candidate.ts';

/** In whose name messages are accepted: a caller of the API, or whoever made what publishes them (a schedule, a job). */
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

/**
 * Accepts messages, all in the given transaction, and answers one result for each in order. Every message that is not a callback
 * comes in here. `planned` is what the key's budget is charged: of a batch all its items, also those that are not valid
 * (docs/budgets.md, "What counts").
 *
 * @throws {ServiceError} SERVICE_UNAVAILABLE while the environment is halted; QUOTA_EXCEEDED, BUDGET_EXCEEDED, and nothing is accepted.
 */
export async function acceptMessages(
  tx: EnvironmentTransaction,
  vault: Pick<Vault, 'seal'>,
  publisher: Publisher,
  drafts: readonly MessageDraft[],
  planned: number = drafts.length,
): Promise<Published[]> {
  const { tenant, publishedBy, apiKeyId } = publisher;
  if (!publisher.publishesWhileHalted) await refuseWhileHalted(tx);
  if (apiKeyId !== null) await admitToBudget(tx, { apiKeyId, kind: 'messages', count: planned });
  await ensureSigningKey(tx, vault, tenant.workspaceId);
  const candidates = drafts.map((draft) => candidateOf(vault, tenant, publishedBy, draft));
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

async function refuseWhileHalted(tx: EnvironmentTransaction): Promise<void> {
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
