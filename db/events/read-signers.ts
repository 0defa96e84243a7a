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
 * What signs a message, newest first: the secrets of the subscription where the message delivers an event to one that has its own, and
 * the keys of the workspace otherwise. Within a grace period there are several; in that of a first secret of its own, the workspace's
 * sign beside it.
 */
export async function readSigners(
  tx: EnvironmentTransaction,
  tenant: Tenant,
  subscriptionId: string | null,
  /** Those of the workspace, where the caller has read them already. */
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
