import type { Tenant } from '../client.ts';
import { openContent, sealContent } from '../messages/message-content.ts';
import { openedOrConflict } from '../secrets/unopened.ts';
import type { SealedSecret, SecretContext, Vault } from '../secrets/vault.ts';

/** The headers of a subscription as its row has them: the values of credentials in `sealed` alone. */
export interface SealedHeaders {
  headers: Record<string, string> | null;
  sealed: SealedSecret | null;
}

/** The associated data of a subscription's sealed headers. No secret's name holds a slash, so the two never collide. */
export function subscriptionAssociatedData(
  { workspaceId, environmentId }: Tenant,
  subscriptionId: string,
): SecretContext {
  return { workspaceId, environmentId, name: `subscription/${subscriptionId}`, version: 1 };
}

/** And of one of its secrets. */
export function subscriptionSecretAssociatedData(
  { workspaceId, environmentId }: Tenant,
  secretId: string,
): SecretContext {
  return { workspaceId, environmentId, name: `subscription-secret/${secretId}`, version: 1 };
}

export function sealHeaders(
  vault: Pick<Vault, 'seal'>,
  tenant: Tenant,
  subscriptionId: string,
  given: Record<string, string> | null,
): SealedHeaders {
  const content = { headers: given, body: null };
  const { headers, sealed } = sealContent(vault, subscriptionAssociatedData(tenant, subscriptionId), content, null);
  return { headers, sealed };
}

/**
 * The headers as they are sent.
 *
 * @throws {ServiceError} CONFLICT where their sealed values do not open.
 */
export function openHeaders(
  vault: Pick<Vault, 'open'>,
  tenant: Tenant,
  subscriptionId: string,
  { headers, sealed }: SealedHeaders,
): Record<string, string> | null {
  const stored = { headers, body: null, bodyKind: 'none', bodySealed: false, sealed } as const;
  return openedOrConflict(
    () => openContent(vault, subscriptionAssociatedData(tenant, subscriptionId), stored).headers,
    'The sealed headers of the subscription do not open. Give their values anew.',
  );
}
