import type { EnvironmentTransaction } from '../client.ts';
import type { Batch, BatchInput, Rewrapping } from '../secrets/rewrap-batch.ts';
import { rewrapRows } from '../secrets/rewrap-rows.ts';
import { subscriptionAssociatedData, subscriptionSecretAssociatedData } from './subscription-content.ts';

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
