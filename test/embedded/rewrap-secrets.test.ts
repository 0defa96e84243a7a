import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import type { Tenant } from '../../db/client.ts';
import { addOAuthKey, oauthKeyAssociatedData } from '../../db/oauth/signing-keys.ts';
import { putSecret } from '../../db/secrets/secrets.ts';
import { refuseOtherMasterKeys } from '../../db/secrets/refuse-other-master-keys.ts';
import { REWRAP_BATCH_SIZE } from '../../db/maintenance/rewrap.ts';
import { Vault } from '../../db/secrets/vault.ts';
import { ensureSigningKey } from '../../db/signing-keys/signing-keys.ts';
import { createTestDatabase } from '../harness/database.ts';
import { Program } from '../harness/embedded-stack.ts';

/** `npm run secrets:rewrap` over an installation of which some values do not open. */

const [lostKey, oldKey, newKey] = [1, 2, 3].map((version) => `${version}:${randomBytes(32).toString('base64')}`) as [
  string,
  string,
  string,
];
const [lost, old] = [lostKey, oldKey].map((key) => Vault.fromMasterKeys(key)) as [Vault, Vault];

const database = await createTestDatabase();

const put = (vault: Vault, tenant: Tenant, name: string): Promise<string> =>
  database.db.withEnvironment(tenant, async (tx) => {
    const { secret } = await putSecret(tx, vault, { tenant, name, value: 'the-secret-value' });
    return secret.id;
  });

async function rewrap(masterKeys = `${oldKey},${newKey}`): Promise<{ code: number | null; output: string }> {
  const program = new Program(['embedded/run.mjs', 'embedded/commands/rewrap-secrets.js'], {
    DATABASE_URL: database.applicationUrl,
    MASTER_KEYS: masterKeys,
  });
  return { code: await program.exited, output: program.output };
}

it('goes on past each value that does not open, names its row, and ends with exit code 1', async () => {
  const { development, staging, production } = database.tenants;
  const oauth = lost.seal(oauthKeyAssociatedData('kid-1'), '{}');
  await addOAuthKey(database.db, { id: 'kid-1', ...oauth });
  await database.db.withEnvironment(development, (tx) => ensureSigningKey(tx, lost, development.workspaceId));
  // More of one secret than a batch holds, and none of them opens.
  for (let index = 0; index <= REWRAP_BATCH_SIZE; index++) await put(lost, development, 'LOST');
  const last = await put(old, development, 'LOST');
  const damaged = await put(old, staging, 'DAMAGED');
  await database.asOwner(
    `UPDATE secret_versions SET sealed_value = set_byte(sealed_value, 20, get_byte(sealed_value, 20) # 1) WHERE secret_id = $1`,
    [damaged],
  );
  await put(old, production, 'WHOLE');

  const { code, output } = await rewrap();
  expect(code).toBe(1);
  expect(output).toContain('oauth_signing_keys, the installation, kid-1: master key version 1 is not configured');
  expect(output.match(new RegExp(`^signing_keys, workspace ${development.workspaceId}, `, 'gm'))).toHaveLength(1);
  const earlier = `secret_versions, environment ${development.environmentId}, ${last} (LOST, version 1, an earlier one that nothing uses): master`;
  expect(output).toContain(earlier);
  expect(output).toContain(
    `secret_versions, environment ${staging.environmentId}, ${damaged} (DAMAGED, version 1): the value of secret DAMAGED version 1 did not open`,
  );
  expect(output).toContain('Rewrapped 2 secret versions of 3 environments under master key 3.');
  expect(output).toContain(`Sealed values that do not open, and are as they were: ${REWRAP_BATCH_SIZE + 4}.`);
  expect(output).not.toContain('the-secret-value');
  const left = await database.asOwner(
    'SELECT master_key_version AS key, count(*)::int FROM secret_versions GROUP BY 1 ORDER BY 1',
  );
  expect(left).toEqual([
    { key: 1, count: REWRAP_BATCH_SIZE + 1 },
    { key: 2, count: 1 },
    { key: 3, count: 2 },
  ]);
});

it.each([
  ['a key that does not seal yet', `${oldKey},~${newKey}`, 'MASTER_KEYS marks version 3 with ~'],
  [
    'another value of a key',
    `${oldKey},3:${randomBytes(32).toString('base64')}`,
    'master key version 3 has another value',
  ],
])('refuses %s, and rewraps nothing', async (_what, masterKeys, message) => {
  await refuseOtherMasterKeys(database.db, Vault.fromMasterKeys(`${oldKey},${newKey}`));
  const { production } = database.tenants;
  await put(old, production, 'LATER');
  const held = () =>
    database.asOwner('SELECT secret_id, version, master_key_version FROM secret_versions ORDER BY 1, 2');
  const before = await held();
  const { code, output } = await rewrap(masterKeys);
  expect(code).toBe(1);
  expect(output).toContain(message);
  expect(await held()).toEqual(before);
});
