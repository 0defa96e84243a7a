import type { EnvironmentTransaction, Tenant } from '../client.ts';
import { rewrapRows } from '../secrets/rewrap-rows.ts';
import type { Vault } from '../secrets/vault.ts';
import { subscriptionAssociatedData, subscriptionSecretAssociatedData } from './subscription-content.ts';

type Rewrapping = Pick<Vault, 'rewrap' | 'newestMasterKeyVersion'>;

/** Rewraps the sealed headers of up to `most` subscriptions of one environment. Returns how many; 0 when none is left. */
export function rewrapSubscriptions(
  tx: EnvironmentTransaction,
  vault: Rewrapping,
  tenant: Tenant,
  most: number,
): Promise<number> {
  const associatedDataOf = (id: string) => subscriptionAssociatedData(tenant, id);
  return rewrapRows(tx, vault, { table: 'event_subscriptions', idColumn: 'id', associatedDataOf }, most);
}

/** The same for their secrets. */
export function rewrapSubscriptionSecrets(
  tx: EnvironmentTransaction,
  vault: Rewrapping,
  tenant: Tenant,
  most: number,
): Promise<number> {
  const associatedDataOf = (id: string) => subscriptionSecretAssociatedData(tenant, id);
  return rewrapRows(tx, vault, { table: 'event_subscription_secrets', idColumn: 'id', associatedDataOf }, most);
}
