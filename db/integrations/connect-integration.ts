import { ServiceError } from '../../domain/errors.ts';
import {
  type ChatProvider,
  type DiscordCredential,
  INTEGRATIONS_PER_ENVIRONMENT_MAX,
  newIntegrationId,
  type SlackCredential,
} from '../../domain/integrations/integrations.ts';
import type { EnvironmentTransaction, Tenant } from '../client.ts';
import type { Vault } from '../secrets/vault.ts';
import { getIntegration } from './get-integration.ts';
import { type IntegrationRecord, integrationAssociatedData } from './records.ts';

export interface NewIntegration {
  provider: ChatProvider;
  name: string;
  account: { id: string; name: string };
  /** Null: a Slack channel that is connected already stays, else none is chosen. */
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
  await tx.raw('SELECT id FROM environments WHERE id = current_environment_id() FOR NO KEY UPDATE');
  const { rows } = await tx.raw<{ rows: { id: string; same: boolean }[] }>(
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
  await tx.raw(known === undefined ? INSERT : UPDATE, bindings);
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
