import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import type { Tenant } from '../../../db/client.ts';
import { deleteSecret, putSecret, readSealedSecrets } from '../../../db/secrets/secrets.ts';
import { REWRAP_BATCH_SIZE, rewrapAllSecrets } from '../../../db/maintenance/rewrap.ts';
import { MasterKeysError, Vault } from '../../../db/secrets/vault.ts';
import { SealBrokenError } from '../../../domain/sealing.ts';
import { createTestDatabase } from '../../harness/database.ts';

const KEY_1 = `1:${randomBytes(32).toString('base64')}`;
const KEY_2 = `2:${randomBytes(32).toString('base64')}`;
const before = Vault.fromMasterKeys(KEY_1);
const during = Vault.fromMasterKeys(`${KEY_1},${KEY_2}`);
const after = Vault.fromMasterKeys(KEY_2);

const database = await createTestDatabase();

const put = (vault: Vault, tenant: Tenant, name: string, value: string) =>
  database.db.withEnvironment(tenant, (tx) => putSecret(tx, vault, { tenant, name, value }));

async function open(vault: Vault, tenant: Tenant, name: string): Promise<string | undefined> {
  const [row] = await database.db.withEnvironment(tenant, (tx) => readSealedSecrets(tx, [name]));
  return row && vault.open({ ...tenant, name, version: row.version }, row.sealed);
}

function masterKeyVersions(): Promise<{ version: number; count: number }[]> {
  return database.asOwner(
    'SELECT master_key_version AS version, count(*)::int AS count FROM secret_versions GROUP BY 1 ORDER BY 1',
  );
}

it('wraps every version of every environment anew, over many batches, and the old master key can go', async () => {
  const { development, production } = database.tenants;
  const elsewhere = (await database.anotherWorkspace()).staging;
  const many = 2 * REWRAP_BATCH_SIZE + 5; // more than two concurrent runs process in one batch each
  for (let index = 0; index < many; index++) await put(before, development, 'OFTEN', `value ${index}`);
  await put(before, production, 'OFTEN', 'another environment');
  await put(before, elsewhere, 'OFTEN', 'another workspace');
  await put(during, production, 'NEW', 'new already');
  const sealedBefore = await database.asOwner(
    'SELECT secret_id, version, sealed_value FROM secret_versions ORDER BY 1, 2',
  );

  // Two run concurrently: each version is rewrapped once.
  const runs = await Promise.all([rewrapAllSecrets(database.db, during), rewrapAllSecrets(database.db, during)]);
  expect(runs.reduce((sum, run) => sum + run.rewrapped, 0)).toBe(many + 2);
  expect(runs[0].environments).toBe(6);

  expect(await masterKeyVersions()).toEqual([{ version: 2, count: many + 3 }]);
  expect(await database.asOwner('SELECT secret_id, version, sealed_value FROM secret_versions ORDER BY 1, 2')).toEqual(
    sealedBefore,
  );
  expect(await open(after, development, 'OFTEN')).toBe(`value ${many - 1}`);
  expect(await open(after, production, 'OFTEN')).toBe('another environment');
  expect(await open(after, elsewhere, 'OFTEN')).toBe('another workspace');
  await expect(open(before, production, 'OFTEN')).rejects.toBeInstanceOf(MasterKeysError);
  expect(await rewrapAllSecrets(database.db, during)).toMatchObject({ rewrapped: 0 });
});

it('refuses a row that an insider moved to another environment or name', async () => {
  const { development, staging } = database.tenants;
  await put(during, development, 'MINE', 'their value');
  await put(during, staging, 'MINE', 'my value');
  await put(during, staging, 'OTHER', 'other value');
  const graft = (target: string, environmentId: string, source: string, from: string) =>
    database.asOwner(
      `UPDATE secret_versions v SET wrapped_data_key = o.wrapped_data_key, sealed_value = o.sealed_value
       FROM secrets s, secret_versions o JOIN secrets os ON os.id = o.secret_id
       WHERE s.id = v.secret_id AND s.name = $1 AND s.environment_id = $2 AND os.name = $3 AND os.environment_id = $4`,
      [target, environmentId, source, from],
    );
  await graft('MINE', staging.environmentId, 'MINE', development.environmentId);
  await expect(open(during, staging, 'MINE')).rejects.toBeInstanceOf(SealBrokenError);
  await graft('MINE', staging.environmentId, 'OTHER', staging.environmentId);
  await expect(open(during, staging, 'MINE')).rejects.toBeInstanceOf(SealBrokenError);
  expect(await open(during, development, 'MINE')).toBe('their value');
});

it('reads only what is there: unknown and deleted names are missing, other environments unseen', async () => {
  const { development, production } = database.tenants;
  await put(during, development, 'ONE', '1');
  await put(during, development, 'TWO', '2');
  await put(during, development, 'DELETED', '3');
  await database.db.withEnvironment(development, (tx) => deleteSecret(tx, 'DELETED'));
  const names = ['ONE', 'TWO', 'DELETED', 'NEVER', 'ONE'];
  const rows = await database.db.withEnvironment(development, (tx) => readSealedSecrets(tx, names));
  expect(rows.map((row) => row.name).toSorted()).toEqual(['ONE', 'TWO']);
  expect(await database.db.withEnvironment(production, (tx) => readSealedSecrets(tx, names))).toEqual([]);
  expect(await database.db.withEnvironment(production, (tx) => readSealedSecrets(tx, []))).toEqual([]);
});
