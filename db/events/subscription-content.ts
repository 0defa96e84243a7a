import type { Tenant } from '../client.ts';
import { openContent } from '../messages/message-content.ts';
import type { SealedSecret, SecretContext, Vault } from '../secrets/vault.ts';

/** The associated data of a subscription's sealed headers. No secret's name holds a slash, so the places never collide. */
function subscriptionPlace({ workspaceId, environmentId }: Tenant, subscriptionId: string): SecretContext {
  return { workspaceId, environmentId, name: `subscription/${subscriptionId}`, version: 1 };
}

/** And of one of its secrets. */
export function subscriptionSecretPlace({ workspaceId, environmentId }: Tenant, secretId: string): SecretContext {
  return { workspaceId, environmentId, name: `subscription-secret/${secretId}`, version: 1 };
}

/** The headers as they are sent. */
export function openHeaders(
  vault: Pick<Vault, 'open'>,
  tenant: Tenant,
  subscriptionId: string,
  { headers, sealed }: { headers: Record<string, string> | null; sealed: SealedSecret | null },
): Record<string, string> | null {
  const stored = { headers, body: null, bodyKind: 'none', bodySealed: false, sealed } as const;
  return openContent(vault, subscriptionPlace(tenant, subscriptionId), stored).headers;
}
