import type { Database } from './client.ts';
import { refuseOtherSchema } from './refuse-other-schema.ts';
import { refusePrivilegedLogin } from './refuse-privileged-login.ts';
import { refuseOtherMasterKeys } from './secrets/refuse-other-master-keys.ts';
import type { Vault } from './secrets/vault.ts';

/**
 * What every process checks that works on the database with a vault, before it does anything else there.
 *
 * @throws {UnsuitableLoginError} for a login that row-level security does not bind.
 * @throws {OtherSchemaError} for the schema of another version.
 * @throws {MasterKeysError} for another value of a master key than the database is used with.
 */
export async function refuseUnsuitableDatabase(db: Database, vault: Pick<Vault, 'keyDigests'>): Promise<void> {
  await refusePrivilegedLogin(db);
  await refuseOtherSchema(db);
  await refuseOtherMasterKeys(db, vault);
}
