import type { Database, Tenant } from '../db/client.ts';
import type { Vault } from '../db/secrets/vault.ts';
import { ensureSigningKey, readSealedSigningKeys, signingKeyAssociatedData } from '../db/signing-keys/signing-keys.ts';

/** Returns the workspace's current signing secret for deliveries, created if there is none. Only for credentials.json. */
export async function signingSecretOf(
  db: Database,
  vault: Pick<Vault, 'open' | 'seal'>,
  tenant: Tenant,
): Promise<string> {
  const { workspaceId } = tenant;
  return db.withEnvironment(tenant, async (tx) => {
    const made = await ensureSigningKey(tx, vault, workspaceId);
    if (made !== null) return made.secret;
    const [newest] = await readSealedSigningKeys(tx);
    if (newest === undefined) throw new Error('a workspace that has a signing key shows none');
    return vault.open(signingKeyAssociatedData(workspaceId, newest.id), newest);
  });
}
