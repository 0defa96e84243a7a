import type { Tenant } from '../../db/client.ts';
import { readSignersOf, type SealedSigner } from '../../db/events/subscription-secrets.ts';
import { type Claimed, readClaimed } from '../../db/messages/claims.ts';
import type { MessageWork } from '../../db/messages/message-work.ts';
import type { SealedSigningKey } from '../../db/signing-keys/signing-keys.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { type EndedAttempt, sendAttempt, unseen } from './send-attempt.ts';

const GONE_ERROR = 'not sent: its subscription is deleted, and the secret that signs for it';

/** The secrets that sign a message; null when its subscription is gone, and its secrets with it. */
export type SignersOf = (work: MessageWork) => readonly SealedSigner[] | null;

/** Reads what the claim did not: messages that it could not see yet, and the secrets of subscriptions. */
export async function readClaimedDeliveries(
  { db }: Pick<ActivityDependencies, 'db'>,
  tenant: Tenant,
  { works, unread }: Claimed,
  keys: readonly SealedSigningKey[],
): Promise<{ works: MessageWork[]; signersOf: SignersOf }> {
  const all =
    unread.length === 0
      ? works
      : [...works, ...(await db.withEnvironment(tenant, (tx) => readClaimed(tx, unread), { readOnly: true }))];
  const subscriptionIds = [...new Set(all.flatMap(({ subscriptionId }) => subscriptionId ?? []))];
  const signers = await db.withEnvironment(tenant, (tx) => readSignersOf(tx, tenant, subscriptionIds, keys), {
    readOnly: true,
  });
  return { works: all, signersOf: ({ subscriptionId }) => signers(subscriptionId) };
}

/** Makes the attempt of a claimed message. */
export async function sendDelivery(
  deps: Parameters<typeof sendAttempt>[0],
  tenant: Tenant,
  work: MessageWork,
  signers: readonly SealedSigner[] | null,
): Promise<EndedAttempt> {
  // The keys of the workspace would sign it otherwise, which its receiver does not know.
  if (signers === null) return unseen(work, 'completed', { error: GONE_ERROR, failure: 'blocked' });
  return sendAttempt(deps, tenant, work, signers);
}
