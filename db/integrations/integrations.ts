import {
  type ChatProvider,
  type DiscordCredential,
  INTEGRATIONS_PER_ENVIRONMENT_MAX,
  newIntegrationId,
  type SlackCredential,
} from '../../domain/integrations/integrations.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { EnvironmentTransaction, Tenant } from '../client.ts';
import type { SealedSecret, SecretContext, Vault } from '../secrets/vault.ts';
import { type Page, pageOf, type Range } from '../page.ts';
import { type Batch, type BatchInput, type Rewrapping, rewrapRows } from '../secrets/rewrap-rows.ts';

/** An integration as callers may see it: never its credential. */
export interface IntegrationRecord {
  id: string;
  provider: ChatProvider;
  name: string;
  isActive: boolean;
  /** The Slack workspace, or the Discord webhook. */
  account: { id: string; name: string };
  /** Null before a Slack channel is chosen. */
  channel: { id: string; name: string } | null;
  takesClicks: boolean;
  createdAt: Date;
  updatedAt: Date;
}

/** The same with what sends and verifies. */
export interface IntegrationWithCredential extends IntegrationRecord {
  applicationId: string | null;
  publicKey: string | null;
  sealed: SealedSecret;
}

const INTEGRATION_COLUMNS = `
  i.id, i.provider, i.name, i.is_active AS "isActive", jsonb_build_object('id', i.account_id, 'name', i.account_name) AS account,
  CASE WHEN i.channel_id IS NULL THEN NULL ELSE jsonb_build_object('id', i.channel_id, 'name', COALESCE(i.channel_name, '')) END AS channel,
  i.takes_clicks AS "takesClicks", i.created_at AS "createdAt", i.updated_at AS "updatedAt"`;

/** The associated data of an integration's credential. No secret's name holds a slash, so the two never collide. */
function integrationAssociatedData({ workspaceId, environmentId }: Tenant, integrationId: string): SecretContext {
  return { workspaceId, environmentId, name: `integration/${integrationId}`, version: 1 };
}

export function openSlack(vault: Pick<Vault, 'open'>, tenant: Tenant, of: IntegrationWithCredential): SlackCredential {
  return JSON.parse(vault.open(integrationAssociatedData(tenant, of.id), of.sealed)) as SlackCredential;
}

export function openDiscord(
  vault: Pick<Vault, 'open'>,
  tenant: Tenant,
  of: IntegrationWithCredential,
): DiscordCredential & { id: string } {
  const { webhookToken } = JSON.parse(
    vault.open(integrationAssociatedData(tenant, of.id), of.sealed),
  ) as DiscordCredential;
  return { id: of.account.id, webhookToken };
}

export async function getIntegration(tx: EnvironmentTransaction, id: string): Promise<IntegrationRecord | null> {
  return tx.row<IntegrationRecord>(
    'get_integration',
    `SELECT ${INTEGRATION_COLUMNS} FROM integrations i WHERE i.id = ?`,
    [id],
  );
}

type Row = Omit<IntegrationWithCredential, 'sealed'> & SealedSecret;

/** With its credential, to send or to verify. `lock`: the row does not change until the transaction ends. */
export async function readCredential(
  tx: EnvironmentTransaction,
  { id, provider }: { id: string; provider: ChatProvider | null },
  lock: 'FOR SHARE' | '' = '',
): Promise<IntegrationWithCredential | null> {
  const row = await tx.row<Row>(
    { variantsOf: 'read_credential' },
    `SELECT ${INTEGRATION_COLUMNS}, i.application_id AS "applicationId", i.public_key AS "publicKey",
       i.master_key_version AS "masterKeyVersion", i.wrapped_data_key AS "wrappedDataKey", i.sealed_value AS "sealedValue"
     FROM integrations i WHERE i.id = :id AND (CAST(:provider AS text) IS NULL OR i.provider = :provider) ${lock}`,
    { id, provider },
  );
  if (row === null) return null;
  const { masterKeyVersion, wrappedDataKey, sealedValue, ...integration } = row;
  return { ...integration, sealed: { masterKeyVersion, wrappedDataKey, sealedValue } };
}

/** Newest first, ties by id. */
export async function listIntegrations(tx: EnvironmentTransaction, range: Range): Promise<Page<IntegrationRecord>> {
  return pageOf(tx, {
    name: 'list_integrations',
    columns: INTEGRATION_COLUMNS,
    from: 'integrations i',
    where: 'i.environment_id = current_environment_id()',
    order: 'i.created_at DESC, i.id DESC',
    asked: range,
  });
}

export interface NewIntegration {
  provider: ChatProvider;
  name: string;
  account: { id: string; name: string };
  /** Null retains the channel of a connected Slack account; a new account has none. */
  channel: { id: string; name: string } | null;
  applicationId: string | null;
  publicKey: string | null;
  takesClicks: boolean;
  credential: SlackCredential | DiscordCredential;
}

/**
 * Connects an account, or replaces the credential of one that is connected: the same account is the same integration. A trigger then
 * ends its links.
 */
export async function connectIntegration(
  tx: EnvironmentTransaction,
  vault: Pick<Vault, 'seal'>,
  tenant: Tenant,
  { account, channel, credential, ...wanted }: NewIntegration,
): Promise<{ integration: IntegrationRecord; created: boolean }> {
  // One connects at a time: the id is part of the seal, and the cap is a count.
  await tx.raw(
    'connect_integration',
    'SELECT id FROM environments WHERE id = current_environment_id() FOR NO KEY UPDATE',
  );
  const rows = await tx.rows<{ id: string; same: boolean }>(
    'connect_integration_2',
    `SELECT id, provider = ? AND account_id = ? AS same FROM integrations WHERE environment_id = current_environment_id()`,
    [wanted.provider, account.id],
  );
  const known = rows.find(({ same }) => same);
  if (known === undefined && rows.length >= INTEGRATIONS_PER_ENVIRONMENT_MAX) {
    const message = `An environment has at most ${INTEGRATIONS_PER_ENVIRONMENT_MAX} integrations.`;
    throw new ServiceError('QUOTA_EXCEEDED', { message });
  }
  const id = known?.id ?? newIntegrationId();
  const sealed = vault.seal(integrationAssociatedData(tenant, id), JSON.stringify(credential));
  const bindings = {
    ...wanted,
    ...sealed,
    id,
    accountId: account.id,
    accountName: account.name,
    channelId: channel?.id ?? null,
    channelName: channel?.name ?? null,
  };
  await tx.raw({ variantsOf: 'connect_integration_3' }, known === undefined ? INSERT : UPDATE, bindings);
  const integration = await getIntegration(tx, id);
  if (integration === null) throw new Error(`integration ${id} was connected and is not there`);
  return { integration, created: known === undefined };
}

const INSERT = `
  INSERT INTO integrations (id, environment_id, provider, name, account_id, account_name, channel_id, channel_name, application_id,
    public_key, takes_clicks, master_key_version, wrapped_data_key, sealed_value)
  VALUES (:id, current_environment_id(), :provider, :name, :accountId, :accountName, :channelId, :channelName, :applicationId,
    :publicKey, :takesClicks, :masterKeyVersion, :wrappedDataKey, :sealedValue)`;

const UPDATE = `
  UPDATE integrations SET name = :name, is_active = true, account_name = :accountName, channel_id = COALESCE(:channelId, channel_id),
    channel_name = CASE WHEN CAST(:channelId AS text) IS NULL THEN channel_name ELSE :channelName END, application_id = :applicationId,
    public_key = :publicKey, takes_clicks = :takesClicks, master_key_version = :masterKeyVersion, wrapped_data_key = :wrappedDataKey,
    sealed_value = :sealedValue, updated_at = now()
  WHERE id = :id`;

/** Returns false where there is no such integration. */
export async function toggleIntegration(tx: EnvironmentTransaction, id: string, isActive: boolean): Promise<boolean> {
  const rows = await tx.rows<unknown>(
    'toggle_integration',
    'UPDATE integrations SET is_active = ?, updated_at = now() WHERE id = ? RETURNING id',
    [isActive, id],
  );
  return rows.length > 0;
}

/** Returns false where there is no such Slack integration. */
export async function setSlackChannel(
  tx: EnvironmentTransaction,
  id: string,
  channel: { id: string; name: string },
): Promise<boolean> {
  const rows = await tx.rows<unknown>(
    'set_slack_channel',
    `UPDATE integrations SET channel_id = ?, channel_name = ?, updated_at = now() WHERE id = ? AND provider = 'slack' RETURNING id`,
    [channel.id, channel.name, id],
  );
  return rows.length > 0;
}

/** Rewraps the credentials of the next integrations of one environment. */
export function rewrapIntegrations(tx: EnvironmentTransaction, vault: Rewrapping, input: BatchInput): Promise<Batch> {
  const associatedDataOf = (id: string) => integrationAssociatedData(input.tenant, id);
  return rewrapRows(tx, vault, { table: 'integrations', idColumn: 'id', associatedDataOf }, input);
}
