import type { EnvironmentTransaction, Tenant } from '../../db/client.ts';
import { readSecretsOf, type SealedSigner, signersOf } from '../../db/events/subscription-secrets.ts';
import type { MessageWork } from '../../db/messages/message-work.ts';
import type { SealedSigningKey } from '../../db/signing-keys/signing-keys.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { type EndedAttempt, sendAttempt, unseen } from './send-attempt.ts';

const GONE_ERROR = 'not sent: its subscription is deleted, and the secret that signs for it';

/** The secrets that sign a message; null when its subscription is gone, and its secrets with it. */
export type SignersOf = (work: MessageWork) => readonly SealedSigner[] | null;

/** Reads the secrets of the subscriptions whose events these messages deliver. */
export async function readSigners(
  { db }: Pick<ActivityDependencies, 'db'>,
  tenant: Tenant,
  works: readonly MessageWork[],
  keys: readonly SealedSigningKey[],
): Promise<SignersOf> {
  const subscriptionIds = [...new Set(works.flatMap(({ subscriptionId }) => subscriptionId ?? []))];
  const read = (tx: EnvironmentTransaction) => readSecretsOf(tx, subscriptionIds);
  const rows = subscriptionIds.length === 0 ? [] : await db.withEnvironment(tenant, read, { readOnly: true });
  const signers = signersOf(tenant, keys, rows);
  return ({ subscriptionId }) => signers(subscriptionId);
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
