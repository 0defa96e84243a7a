import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { connectIntegration, openSlack, readCredential } from '../../../db/integrations/integrations.ts';
import { rewrapAllSecrets } from '../../../db/maintenance/rewrap.ts';
import { MasterKeysError, Vault } from '../../../db/secrets/vault.ts';
import { newId } from '../../../domain/ids.ts';
import { isUuid } from '../../../domain/uuid.ts';
import { newIntegrationId } from '../../../domain/integrations/integrations.ts';
import type { SlackCredential } from '../../../domain/integrations/integrations.ts';
import { SealBrokenError } from '../../../domain/sealing.ts';
import { createTestDatabase } from '../../harness/database.ts';

const KEY_1 = `1:${randomBytes(32).toString('base64')}`;
const KEY_2 = `2:${randomBytes(32).toString('base64')}`;
const before = Vault.fromMasterKeys(KEY_1);
const during = Vault.fromMasterKeys(`${KEY_1},${KEY_2}`);
const after = Vault.fromMasterKeys(KEY_2);
const CREDENTIAL: SlackCredential = { botToken: 'xoxb-0000000000', signingSecret: 'a-signing-secret' };

const database = await createTestDatabase();

async function open(vault: Vault, id: string, place = id): Promise<SlackCredential> {
  const { db, tenant } = database;
  const found = await db.withEnvironment(tenant, (tx) => readCredential(tx, { id, provider: 'slack' }));
  if (found === null) throw new Error('the integration is connected');
  return openSlack(vault, tenant, { ...found, id: place });
}

test('the credential of an integration opens for it alone, is rewrapped, and its links stand', async () => {
  const { db, tenant } = database;
  const { integration } = await db.withEnvironment(tenant, (tx) =>
    connectIntegration(tx, before, tenant, {
      provider: 'slack',
      name: 'ops',
      account: { id: 'T0', name: 'Ops' },
      channel: null,
      applicationId: null,
      publicKey: null,
      takesClicks: true,
      credential: CREDENTIAL,
    }),
  );
  const { id } = integration;
  expect(isUuid(id)).toBe(true);
  const userId = newId('user');
  await database.asOwner(
    `INSERT INTO users (id, email, name, password_hash) VALUES ($1, 'grace@example.test', 'Grace', 'none')`,
    [userId],
  );
  await database.asOwner(
    `INSERT INTO chat_links (integration_id, chat_user_id, environment_id, chat_user_name, user_id) VALUES ($1, 'U0', $2, 'grace', $3)`,
    [id, tenant.environmentId, userId],
  );
  expect(await open(before, id)).toEqual(CREDENTIAL);
  await expect(open(before, id, newIntegrationId())).rejects.toThrow(SealBrokenError);

  expect((await rewrapAllSecrets(db, during)).rewrapped).toBe(1);
  expect(await open(after, id)).toEqual(CREDENTIAL);
  await expect(open(before, id)).rejects.toThrow(MasterKeysError);
  expect((await rewrapAllSecrets(db, during)).rewrapped).toBe(0);
  // A new wrapping is no new credential: whoever was linked still is.
  expect(await database.asOwner('SELECT chat_user_id FROM chat_links')).toEqual([{ chat_user_id: 'U0' }]);
});
