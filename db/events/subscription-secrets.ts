import { RETIRING_SECRETS_MAX } from '../../domain/events/topics.ts';
import { ID_PREFIXES, newId } from '../../domain/ids.ts';
import { newSigningSecret } from '../../domain/messages/signing.ts';
import type { EnvironmentTransaction, Tenant } from '../client.ts';
import type { SealedSecret, SecretContext, Vault } from '../secrets/vault.ts';
import { type SealedSigningKey, signingKeyAssociatedData } from '../signing-keys/signing-keys.ts';
import { type Batch, type BatchInput, type Rewrapping, rewrapRows } from '../secrets/rewrap-rows.ts';
import { subscriptionAssociatedData, subscriptionSecretAssociatedData } from './subscriptions.ts';

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
  return tx.row<SealedSecret>(
    'read_first_secret',
    `SELECT master_key_version AS "masterKeyVersion", wrapped_data_key AS "wrappedDataKey", sealed_value AS "sealedValue"
     FROM event_subscription_secrets WHERE id = ?`,
    [firstSecretId(subscriptionId)],
  );
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
  await tx.raw('rotate_subscription_secret', 'UPDATE event_subscriptions SET updated_at = now() WHERE id = ?', [
    subscriptionId,
  ]);
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
  const present = await tx.row<Present>(
    'read_present',
    `SELECT count(*)::int AS secrets, (count(*) FILTER (WHERE retires_at > now()))::int AS retiring,
       max(workspace_keys_until) AS "workspaceKeysUntil", now()::timestamptz(3) + make_interval(secs => :gracePeriodSeconds) AS "graceEndsAt"
     FROM event_subscription_secrets WHERE subscription_id = :subscriptionId`,
    { subscriptionId, gracePeriodSeconds },
  );
  if (present === null) throw new Error('a count answers one row');
  return present;
}

/** Destroys what has retired, or all of them; the newest then retires at that time. */
async function retireSecrets(tx: EnvironmentTransaction, subscriptionId: string, at: Date | null): Promise<void> {
  await tx.raw(
    'retire_secrets',
    `DELETE FROM event_subscription_secrets WHERE subscription_id = :subscriptionId AND (retires_at <= now() OR CAST(:at AS timestamptz) IS NULL)`,
    { subscriptionId, at },
  );
  await tx.raw(
    'retire_secrets_2',
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
    'insert_secret',
    `INSERT INTO event_subscription_secrets (id, environment_id, subscription_id, master_key_version, wrapped_data_key, sealed_value,
       workspace_keys_until)
     VALUES (:id, current_environment_id(), :subscriptionId, :masterKeyVersion, :wrappedDataKey, :sealedValue, :workspaceKeysUntil)`,
    { ...row, ...vault.seal(subscriptionSecretAssociatedData(tenant, row.id), secret) },
  );
}

/** A sealed secret that signs a delivery, and what it was sealed with. */
export interface SealedSigner {
  associatedData: SecretContext;
  sealed: SealedSecret;
}

/**
 * The secrets that sign messages, newest first: those of the subscription, if the message delivers an event to one with secrets of its
 * own, and otherwise the keys of the workspace. During a grace period several secrets sign. After a subscription gets its first own secret,
 * the workspace's keys also sign until that period ends. The function that it returns answers null for a subscription that is deleted.
 */
export function signersOf(
  tenant: Tenant,
  keys: readonly SealedSigningKey[],
  rows: readonly SecretOfRow[],
): (subscriptionId: string | null) => readonly SealedSigner[] | null {
  const ofWorkspace = keys.map((key) => ({
    associatedData: signingKeyAssociatedData(tenant.workspaceId, key.id),
    sealed: key,
  }));
  return (subscriptionId) => {
    if (subscriptionId === null) return ofWorkspace;
    const own = rows.filter((row) => row.subscriptionId === subscriptionId);
    if (own.length === 0) return null;
    const secrets = own.filter(isSecret);
    const signers = secrets.map((row) => ({
      associatedData: subscriptionSecretAssociatedData(tenant, row.id),
      sealed: row,
    }));
    const areEnough = secrets.length > 0 && !secrets.some((row) => row.besideWorkspaceKeys);
    return areEnough ? signers : [...signers, ...ofWorkspace];
  };
}

/** A subscription without a secret has one row, whose id is null. */
export type SecretOfRow = { subscriptionId: string } & (SecretRow | { id: null });

function isSecret(row: SecretOfRow): row is { subscriptionId: string } & SecretRow {
  return row.id !== null;
}

/** The secrets of these subscriptions that are in use, for `signersOf`. */
export async function readSecretsOf(
  tx: EnvironmentTransaction,
  subscriptionIds: readonly string[],
): Promise<SecretOfRow[]> {
  return tx.rows<SecretOfRow>(
    'read_secrets_of',
    `SELECT u.id AS "subscriptionId", s.id, COALESCE(s.workspace_keys_until > now(), false) AS "besideWorkspaceKeys",
       s.master_key_version AS "masterKeyVersion", s.wrapped_data_key AS "wrappedDataKey", s.sealed_value AS "sealedValue"
     FROM event_subscriptions u LEFT JOIN event_subscription_secrets s ON s.subscription_id = u.id AND (s.retires_at IS NULL OR s.retires_at > now())
     WHERE u.id = ANY (?) ORDER BY s.created_at DESC, s.id DESC`,
    [[...subscriptionIds]],
  );
}

type SecretRow = { id: string; besideWorkspaceKeys: boolean } & SealedSecret;

/** Rewraps the sealed headers of the next subscriptions of one environment. */
export function rewrapSubscriptions(tx: EnvironmentTransaction, vault: Rewrapping, input: BatchInput): Promise<Batch> {
  const associatedDataOf = (id: string) => subscriptionAssociatedData(input.tenant, id);
  return rewrapRows(tx, vault, { table: 'event_subscriptions', idColumn: 'id', associatedDataOf }, input);
}

/** The same for their secrets. */
export function rewrapSubscriptionSecrets(
  tx: EnvironmentTransaction,
  vault: Rewrapping,
  input: BatchInput,
): Promise<Batch> {
  const associatedDataOf = (id: string) => subscriptionSecretAssociatedData(input.tenant, id);
  return rewrapRows(tx, vault, { table: 'event_subscription_secrets', idColumn: 'id', associatedDataOf }, input);
}
