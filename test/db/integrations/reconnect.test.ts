import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import type { EnvironmentTransaction } from '../../../db/client.ts';
import { putLinkCode, redeemLinkCode } from '../../../db/integrations/chat.ts';
import { connectIntegration } from '../../../db/integrations/integrations.ts';
import { Vault } from '../../../db/secrets/vault.ts';
import { newId } from '../../../domain/ids.ts';
import { createTestDatabase } from '../../harness/database.ts';
import { PATIENCE_MS } from '../../harness/patience.ts';

/** Sessions of this database that wait for another transaction. */
const WAITING = `SELECT 1 FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
  WHERE NOT l.granted AND l.locktype = 'transactionid' AND a.datname = current_database()`;
const CODE_HASH = Buffer.alloc(32, 7);

const vault = Vault.fromMasterKeys(`1:${randomBytes(32).toString('base64')}`);
const database = await createTestDatabase();

const inEnvironment = <T>(work: (tx: EnvironmentTransaction) => Promise<T>): Promise<T> =>
  database.db.withEnvironment(database.tenant, work);

function connect(signingSecret: string) {
  return inEnvironment((tx) =>
    connectIntegration(tx, vault, database.tenant, {
      provider: 'slack',
      name: 'ops',
      account: { id: 'T0', name: 'Ops' },
      channel: null,
      applicationId: null,
      publicKey: null,
      takesClicks: true,
      credential: { botToken: 'xoxb-0000000000', signingSecret },
    }),
  );
}

test('a link that is being made while the credential is replaced ends with the old credential', async () => {
  const userId = newId('user');
  await database.asOwner(`INSERT INTO users (id, email, name, password_hash) VALUES ($1, $1, 'Grace', 'none')`, [
    userId,
  ]);
  const { integration } = await connect('the-old-secret');
  await inEnvironment((tx) => putLinkCode(tx, integration.id, { id: 'U0GRACE', name: 'grace' }, CODE_HASH));

  let reconnected: ReturnType<typeof connect> | undefined;
  const link = await inEnvironment(async (tx) => {
    const redeemed = await redeemLinkCode(tx, CODE_HASH, userId);
    reconnected = connect('the-new-secret');
    await expect.poll(() => database.asOwner(WAITING), { timeout: PATIENCE_MS }).toHaveLength(1);
    return redeemed;
  });
  expect(link?.chatUser.id).toBe('U0GRACE');
  expect(await reconnected).toMatchObject({ created: false });
  expect(await database.asOwner('SELECT chat_user_id FROM chat_links')).toEqual([]);
  expect(await database.asOwner('SELECT chat_user_id FROM chat_link_codes')).toEqual([]);
});
