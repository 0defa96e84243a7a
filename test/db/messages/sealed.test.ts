import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { insertMessages } from '../../../db/messages/insert-messages.ts';
import { claimMessages, lockLostMessages } from '../../../db/messages/claims.ts';
import { messageAssociatedData, openContent, sealContent } from '../../../db/messages/records.ts';
import { rewrapAllSecrets } from '../../../db/maintenance/rewrap.ts';
import { Vault } from '../../../db/secrets/vault.ts';
import { newId } from '../../../domain/ids.ts';
import { SealBrokenError } from '../../../domain/sealing.ts';
import { signingSecretOf } from '../../../embedded/signing-secret.ts';
import { plainMessage } from './plain-message.ts';
import { createTestDatabase } from '../../harness/database.ts';

const KEY_1 = `1:${randomBytes(32).toString('base64')}`;
const KEY_2 = `2:${randomBytes(32).toString('base64')}`;
const before = Vault.fromMasterKeys(KEY_1);
const during = Vault.fromMasterKeys(`${KEY_1},${KEY_2}`);
const after = Vault.fromMasterKeys(KEY_2);
const CONTENT = { headers: { Authorization: 'Bearer 1', 'X-A': 'a' }, body: { kind: 'text', text: 'hidden' } } as const;

const database = await createTestDatabase();

async function insertSealed(): Promise<string> {
  const { db, tenant } = database;
  const id = newId('message');
  const redact = { body: true };
  await db.withEnvironment(tenant, (tx) =>
    insertMessages(tx, [
      plainMessage({ id, content: sealContent(before, messageAssociatedData(tenant, id), CONTENT, redact), redact }),
    ]),
  );
  return id;
}

async function open(vault: Vault, id: string, place = id): Promise<unknown> {
  const { db, tenant } = database;
  // Its lease has ended at once, so that it is read again and again.
  const claim = { most: 10, share: 10, claim: 'test', worker: 'worker', leaseMs: 0, afterLane: '' };
  await db.withEnvironment(tenant, (tx) => claimMessages(tx, claim));
  const claimed = await db.withEnvironment(tenant, (tx) =>
    lockLostMessages(tx, { most: 10, inFlight: { claim: '', messageIds: [] } }),
  );
  const content = claimed.find((work) => work.id === id)?.content ?? null;
  if (content === null) throw new Error('the message was inserted');
  const { headers, body } = openContent(vault, messageAssociatedData(tenant, place), content);
  return { headers, body };
}

describe('what messages seal', () => {
  test('opens for its own message alone', async () => {
    const id = await insertSealed();
    expect(await open(before, id)).toEqual(CONTENT);
    await expect(open(before, id, newId('message'))).rejects.toThrow(SealBrokenError);
  });

  test('is rewrapped with the secrets, signing keys too, and the old master key can go', async () => {
    const id = await insertSealed();
    const { db, tenant } = database;
    const secret = await signingSecretOf(db, before, tenant);
    expect(secret).toMatch(/^whsec_/);
    const { rewrapped } = await rewrapAllSecrets(db, during);
    expect(rewrapped).toBe(3); // two messages of these tests, and the signing key
    expect(await open(after, id)).toEqual(CONTENT);
    expect(await signingSecretOf(db, after, tenant)).toBe(secret);
    expect((await rewrapAllSecrets(db, during)).rewrapped).toBe(0);
  });
});
