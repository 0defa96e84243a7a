import type { EnvironmentTransaction, Tenant } from '../client.ts';
import type { SealedSecret, SecretContext } from '../secrets/vault.ts';
import { readSealedSigningKeys } from '../signing-keys/read-sealed-signing-keys.ts';
import { type SealedSigningKey, signingKeyAssociatedData } from '../signing-keys/records.ts';
import { subscriptionSecretAssociatedData } from './subscription-content.ts';

/** A sealed secret that signs a delivery, and what it was sealed with. */
export interface SealedSigner {
  associatedData: SecretContext;
  sealed: SealedSecret;
}

/**
 * The secrets that sign a message, newest first: those of its subscription, if the message delivers an event to one with secrets of its
 * own, and otherwise the keys of the workspace. During a grace period several secrets sign. After a subscription gets its first own secret,
 * the workspace's keys also sign until that period ends.
 */
export async function readSigners(
  tx: EnvironmentTransaction,
  tenant: Tenant,
  subscriptionId: string | null,
  /** The keys of the workspace, if the caller has read them already. */
  read: readonly SealedSigningKey[] | null = null,
): Promise<SealedSigner[]> {
  const own = subscriptionId === null ? [] : await readSubscriptionSecrets(tx, subscriptionId);
  const signers = own.map((row) => ({ associatedData: subscriptionSecretAssociatedData(tenant, row.id), sealed: row }));
  if (own.length > 0 && !own.some((row) => row.besideWorkspaceKeys)) return signers;
  const keys = read ?? (await readSealedSigningKeys(tx));
  return [
    ...signers,
    ...keys.map((key) => ({ associatedData: signingKeyAssociatedData(tenant.workspaceId, key.id), sealed: key })),
  ];
}

type SecretRow = { id: string; besideWorkspaceKeys: boolean } & SealedSecret;

async function readSubscriptionSecrets(tx: EnvironmentTransaction, subscriptionId: string): Promise<SecretRow[]> {
  const { rows } = await tx.raw<{ rows: SecretRow[] }>(
    `SELECT id, COALESCE(workspace_keys_until > now(), false) AS "besideWorkspaceKeys", master_key_version AS "masterKeyVersion",
       wrapped_data_key AS "wrappedDataKey", sealed_value AS "sealedValue"
     FROM event_subscription_secrets WHERE subscription_id = ? AND (retires_at IS NULL OR retires_at > now())
     ORDER BY created_at DESC, id DESC`,
    [subscriptionId],
  );
  return rows;
}
