import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { openSecrets } from '../../../activities/secrets/open-secrets.ts';
import type { Tenant } from '../../../db/client.ts';
import { deleteSecret, putSecret } from '../../../db/secrets/secrets.ts';
import { Vault } from '../../../db/secrets/vault.ts';
import { SealBrokenError } from '../../../domain/sealing.ts';
import { createTestDatabase } from '../../harness/database.ts';

const vault = Vault.fromMasterKeys(`1:${randomBytes(32).toString('base64')}`);
const database = await createTestDatabase();

const put = (tenant: Tenant, name: string, value: string) =>
  database.db.withEnvironment(tenant, (tx) => putSecret(tx, vault, { tenant, name, value }));
const open = (tenant: Tenant, names: string[]) => openSecrets({ db: database.db, vault }, tenant, names);

it('opens the current versions of this environment, and names what is missing', async () => {
  const { development, production } = database.tenants;
  await put(development, 'ROTATED', 'old');
  await put(development, 'ROTATED', 'new');
  await put(development, 'DELETED', 'gone');
  await database.db.withEnvironment(development, (tx) => deleteSecret(tx, 'DELETED'));
  await put(production, 'ELSEWHERE', 'not yours');
  const opened = await open(development, ['ROTATED', 'DELETED', 'ELSEWHERE']);
  expect(opened).toEqual({
    values: new Map([['ROTATED', 'new']]),
    versions: { ROTATED: 2 },
    missing: ['DELETED', 'ELSEWHERE'],
  });
  expect(await open(production, ['ELSEWHERE'])).toMatchObject({ missing: [] });
  expect(await open(production, [])).toEqual({ values: new Map(), versions: {}, missing: [] });
});

it('throws, without the value, where a sealed row was changed', async () => {
  const { staging } = database.tenants;
  await put(staging, 'CHANGED', 'a value to keep');
  await database.asOwner(
    `UPDATE secret_versions v SET master_key_version = 1, wrapped_data_key = set_byte(wrapped_data_key, 30, get_byte(wrapped_data_key, 30) # 1)
     FROM secrets s WHERE s.id = v.secret_id AND s.name = 'CHANGED'`,
  );
  const error: unknown = await open(staging, ['CHANGED']).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(SealBrokenError);
  expect(String(error)).toBe(
    'SealBrokenError: the data key of secret CHANGED version 1 did not open: it was changed, moved, or sealed under another key',
  );
});
