import type { EnvironmentTransaction, Tenant } from '../client.ts';
import { rewrapRows } from '../secrets/rewrap-rows.ts';
import type { Vault } from '../secrets/vault.ts';
import { subscriptionPlace, subscriptionSecretPlace } from './subscription-content.ts';

type Rewrapping = Pick<Vault, 'rewrap' | 'newestMasterKeyVersion'>;

/** Rewraps the sealed headers of up to `most` subscriptions of one environment. Returns how many; 0 when none is left. */
export function rewrapSubscriptions(
  tx: EnvironmentTransaction,
  vault: Rewrapping,
  tenant: Tenant,
  most: number,
): Promise<number> {
  const placeOf = (id: string) => subscriptionPlace(tenant, id);
  return rewrapRows(tx, vault, { table: 'event_subscriptions', idColumn: 'id', placeOf }, most);
}

/** The same for their secrets. */
export function rewrapSubscriptionSecrets(
  tx: EnvironmentTransaction,
  vault: Rewrapping,
  tenant: Tenant,
  most: number,
): Promise<number> {
  const placeOf = (id: string) => subscriptionSecretPlace(tenant, id);
  return rewrapRows(tx, vault, { table: 'event_subscription_secrets', idColumn: 'id', placeOf }, most);
}
