import type { Database } from '../client.ts';
import { listEveryEnvironment } from '../environments/list-every-environment.ts';
import { rewrapSubscriptions, rewrapSubscriptionSecrets } from '../events/rewrap-subscriptions.ts';
import { rewrapIntegrations } from '../integrations/rewrap-integrations.ts';
import { rewrapOAuthKeys } from '../oauth/signing-keys.ts';
import { rewrapMessages } from '../messages/rewrap-messages.ts';
import { rewrapSchedules } from '../schedules/rewrap-schedules.ts';
import { rewrapSigningKeys } from '../signing-keys/rewrap-signing-keys.ts';
import { rewrapSecrets } from './rewrap-secrets.ts';
import type { Vault } from './vault.ts';

/** The number of secret versions in one transaction: small, so that a rotation never waits long for the rewrap. */
export const REWRAP_BATCH_SIZE = 100;

const SEALED = [
  rewrapSecrets,
  rewrapMessages,
  rewrapSchedules,
  rewrapIntegrations,
  rewrapSubscriptions,
  rewrapSubscriptionSecrets,
];

/**
 * Rewraps everything that is sealed in every environment (secret versions, messages, schedules, integrations, subscriptions and their
 * secrets) and the signing keys of every workspace and of OAuth under the newest master key, batch by batch. It may run while the service
 * works, be stopped, and run again. Throws at the first version that cannot be opened; earlier batches stay done.
 */
export async function rewrapAllSecrets(
  db: Database,
  vault: Pick<Vault, 'rewrap' | 'newestMasterKeyVersion'>,
): Promise<{ environments: number; rewrapped: number }> {
  const tenants = await listEveryEnvironment(db);
  let rewrapped = await rewrapOAuthKeys(db, vault);
  for (const tenant of tenants) {
    rewrapped += await db.withEnvironment(tenant, (tx) => rewrapSigningKeys(tx, vault, tenant));
    for (const rewrapSome of SEALED) {
      let batch: number;
      do {
        batch = await db.withEnvironment(tenant, (tx) => rewrapSome(tx, vault, tenant, REWRAP_BATCH_SIZE));
        rewrapped += batch;
      } while (batch > 0);
    }
  }
  return { environments: tenants.length, rewrapped };
}
