import { RETIRING_SECRETS_MAX } from '../../domain/events/topics.ts';
import { ID_PREFIXES, newId } from '../../domain/ids.ts';
import { newSigningSecret } from '../../domain/messages/signing.ts';
import type { EnvironmentTransaction, Tenant } from '../client.ts';
import type { SealedSecret, Vault } from '../secrets/vault.ts';
import { subscriptionSecretAssociatedData } from './subscription-content.ts';

/**
 * The id of the secret that a subscription was created with. It follows from the subscription's, so that the reply of the creation, and
 * no other, finds it.
 */
export function firstSecretId(subscriptionId: string): string {
  return `${ID_PREFIXES.subscriptionSecret}_${subscriptionId.slice(subscriptionId.indexOf('_') + 1)}`;
}

/** Makes the secret that a subscription is created with. */
export async function insertFirstSecret(
  tx: EnvironmentTransaction,
  vault: Pick<Vault, 'seal'>,
  tenant: Tenant,
  subscriptionId: string,
): Promise<void> {
  const id = firstSecretId(subscriptionId);
  await insertSecret(tx, vault, tenant, { id, subscriptionId, secret: newSigningSecret(), workspaceKeysUntil: null });
}

/** The sealed secret that a subscription was created with; null once it was destroyed, and where there was none. */
export async function readFirstSecret(
  tx: EnvironmentTransaction,
  subscriptionId: string,
): Promise<SealedSecret | null> {
  const { rows } = await tx.raw<{ rows: SealedSecret[] }>(
    `SELECT master_key_version AS "masterKeyVersion", wrapped_data_key AS "wrappedDataKey", sealed_value AS "sealedValue"
     FROM event_subscription_secrets WHERE id = ?`,
    [firstSecretId(subscriptionId)],
  );
  return rows[0] ?? null;
}

export interface RotatedSecret {
  /** `whsec_` and base64. It is returned here, once, and stored sealed. */
  secret: string;
  /** Until when what signed before signs beside it; null: it does not. */
  previousSignsUntil: Date | null;
}

/**
 * Gives a subscription, which the same transaction has locked, a new secret. Its earlier secret, or else the keys of the workspace, also
 * sign for `gracePeriodSeconds`; 0 ends every earlier one at once. Retired secrets are destroyed. Returns null, and changes nothing, if
 * more than RETIRING_SECRETS_MAX would sign beside it.
 */
export async function rotateSubscriptionSecret(
  tx: EnvironmentTransaction,
  vault: Pick<Vault, 'seal'>,
  tenant: Tenant,
  { subscriptionId, gracePeriodSeconds }: { subscriptionId: string; gracePeriodSeconds: number },
): Promise<RotatedSecret | null> {
  const present = await readPresent(tx, subscriptionId, gracePeriodSeconds);
  if (gracePeriodSeconds > 0 && present.retiring >= RETIRING_SECRETS_MAX) return null;
  const previousSignsUntil = gracePeriodSeconds === 0 ? null : present.graceEndsAt;
  const workspaceKeysUntil = present.secrets === 0 ? present.graceEndsAt : present.workspaceKeysUntil;
  await retireSecrets(tx, subscriptionId, previousSignsUntil);
  const secret = newSigningSecret();
  await insertSecret(tx, vault, tenant, {
    id: newId('subscriptionSecret'),
    subscriptionId,
    secret,
    workspaceKeysUntil: gracePeriodSeconds === 0 ? null : workspaceKeysUntil,
  });
  await tx.raw('UPDATE event_subscriptions SET updated_at = now() WHERE id = ?', [subscriptionId]);
  return { secret, previousSignsUntil };
}

interface Present {
  secrets: number;
  retiring: number;
  /** Until when the keys of the workspace sign beside those secrets. */
  workspaceKeysUntil: Date | null;
  graceEndsAt: Date;
}

async function readPresent(
  tx: EnvironmentTransaction,
  subscriptionId: string,
  gracePeriodSeconds: number,
): Promise<Present> {
  const { rows } = await tx.raw<{ rows: Present[] }>(
    `SELECT count(*)::int AS secrets, (count(*) FILTER (WHERE retires_at > now()))::int AS retiring,
       max(workspace_keys_until) AS "workspaceKeysUntil", now()::timestamptz(3) + make_interval(secs => :gracePeriodSeconds) AS "graceEndsAt"
     FROM event_subscription_secrets WHERE subscription_id = :subscriptionId`,
    { subscriptionId, gracePeriodSeconds },
  );
  const [present] = rows;
  if (present === undefined) throw new Error('a count answers one row');
  return present;
}

/** Destroys what has retired, or all of them; the newest then retires at that time. */
async function retireSecrets(tx: EnvironmentTransaction, subscriptionId: string, at: Date | null): Promise<void> {
  await tx.raw(
    `DELETE FROM event_subscription_secrets WHERE subscription_id = :subscriptionId AND (retires_at <= now() OR CAST(:at AS timestamptz) IS NULL)`,
    { subscriptionId, at },
  );
  await tx.raw(
    'UPDATE event_subscription_secrets SET retires_at = :at WHERE subscription_id = :subscriptionId AND retires_at IS NULL',
    { subscriptionId, at },
  );
}

interface NewSecret {
  id: string;
  subscriptionId: string;
  secret: string;
  workspaceKeysUntil: Date | null;
}

async function insertSecret(
  tx: EnvironmentTransaction,
  vault: Pick<Vault, 'seal'>,
  tenant: Tenant,
  { secret, ...row }: NewSecret,
): Promise<void> {
  await tx.raw(
    `INSERT INTO event_subscription_secrets (id, environment_id, subscription_id, master_key_version, wrapped_data_key, sealed_value,
       workspace_keys_until)
     VALUES (:id, current_environment_id(), :subscriptionId, :masterKeyVersion, :wrappedDataKey, :sealedValue, :workspaceKeysUntil)`,
    { ...row, ...vault.seal(subscriptionSecretAssociatedData(tenant, row.id), secret) },
  );
}
