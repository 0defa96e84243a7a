import type { Database, Tenant } from '../client.ts';
import { rewrapMessages } from '../messages/rewrap-messages.ts';
import { rewrapSigningKeys } from '../signing-keys/rewrap-signing-keys.ts';
import { rewrapSecrets } from './rewrap-secrets.ts';
import type { Vault } from './vault.ts';

/** Secret versions in one transaction: small, so that a rotation never waits long for the rewrap. */
export const REWRAP_BATCH_SIZE = 100;

/**
 * Wraps every secret version, sealed message and signing key of every environment under the newest master key, batch by batch. Safe to run while the service
 * works, to stop, and to run again. Throws at the first version that does not open; the batches before it stay done.
 */
export async function rewrapAllSecrets(
  db: Database,
  vault: Pick<Vault, 'rewrap' | 'newestMasterKeyVersion'>,
): Promise<{ environments: number; rewrapped: number }> {
  const { rows } = await db.directory.raw<{ rows: { environment_id: string; workspace_id: string }[] }>(
    'SELECT environment_id, workspace_id FROM list_environment_ids()',
  );
  let rewrapped = 0;
  for (const row of rows) {
    const tenant: Tenant = { workspaceId: row.workspace_id, environmentId: row.environment_id };
    rewrapped += await db.withEnvironment(tenant, (tx) => rewrapSigningKeys(tx, vault, tenant));
    for (const rewrapSome of [rewrapSecrets, rewrapMessages]) {
      let batch: number;
      do {
        batch = await db.withEnvironment(tenant, (tx) => rewrapSome(tx, vault, tenant, REWRAP_BATCH_SIZE));
        rewrapped += batch;
      } while (batch > 0);
    }
  }
  return { environments: rows.length, rewrapped };
}
