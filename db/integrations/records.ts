import type { ChatProvider, DiscordCredential, SlackCredential } from '../../domain/integrations/integrations.ts';
import type { Tenant } from '../client.ts';
import type { SealedSecret, SecretContext, Vault } from '../secrets/vault.ts';

/** An integration as callers may see it: never its credential. */
export interface IntegrationRecord {
  id: string;
  provider: ChatProvider;
  name: string;
  isActive: boolean;
  /** The Slack workspace, or the Discord webhook. */
  account: { id: string; name: string };
  /** Null: Slack, and none was chosen yet. */
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

export const INTEGRATION_COLUMNS = `
  i.id, i.provider, i.name, i.is_active AS "isActive", jsonb_build_object('id', i.account_id, 'name', i.account_name) AS account,
  CASE WHEN i.channel_id IS NULL THEN NULL ELSE jsonb_build_object('id', i.channel_id, 'name', COALESCE(i.channel_name, '')) END AS channel,
  i.takes_clicks AS "takesClicks", i.created_at AS "createdAt", i.updated_at AS "updatedAt"`;

/** The associated data of an integration's credential. No secret's name holds a slash, so the two never collide. */
export function integrationAssociatedData(
  { workspaceId, environmentId }: Tenant,
  integrationId: string,
): SecretContext {
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
