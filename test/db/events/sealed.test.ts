import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  insertFirstSecret,
  readFirstSecret,
  readSecretsOf,
  signersOf,
  rotateSubscriptionSecret,
} from '../../../db/events/subscription-secrets.ts';
import { insertSubscription, lockSubscription, openHeaders, sealHeaders } from '../../../db/events/subscriptions.ts';
import { createTopic } from '../../../db/events/topics.ts';
import { rewrapAllSecrets } from '../../../db/maintenance/rewrap.ts';
import { MasterKeysError, Vault } from '../../../db/secrets/vault.ts';
import { newId } from '../../../domain/ids.ts';
import { SealBrokenError } from '../../../domain/sealing.ts';
import { createTestDatabase } from '../../harness/database.ts';

const KEY_1 = `1:${randomBytes(32).toString('base64')}`;
const KEY_2 = `2:${randomBytes(32).toString('base64')}`;
const before = Vault.fromMasterKeys(KEY_1);
const during = Vault.fromMasterKeys(`${KEY_1},${KEY_2}`);
const after = Vault.fromMasterKeys(KEY_2);
const HEADERS = { Authorization: 'Bearer 1', 'X-A': 'a' };

const database = await createTestDatabase();

/** A subscription with a sealed header and two secrets. */
async function subscribe(): Promise<string> {
  const { db, tenant } = database;
  const id = newId('subscription');
  await db.withEnvironment(tenant, async (tx) => {
    const topic = await createTopic(tx, { name: id, description: null });
    const headers = sealHeaders(before, tenant, id, HEADERS);
    await insertSubscription(tx, topic, { id, url: 'https://a.example', eventTypes: ['*'], enabled: true, headers });
    await insertFirstSecret(tx, before, tenant, id);
    await rotateSubscriptionSecret(tx, before, tenant, { subscriptionId: id, gracePeriodSeconds: 60 });
  });
  return id;
}

async function opened(vault: Vault, id: string, place = id) {
  const { db, tenant } = database;
  return db.withEnvironment(tenant, async (tx) => {
    const subscription = await lockSubscription(tx, id);
    if (subscription === null) throw new Error('the subscription was inserted');
    const signers = signersOf(tenant, [], await readSecretsOf(tx, [id]))(id) ?? [];
    return {
      headers: openHeaders(vault, tenant, place, subscription),
      secrets: signers.map((signer) => vault.open(signer.associatedData, signer.sealed)),
    };
  });
}

describe('what subscriptions seal', () => {
  test('opens for its own subscription alone', async () => {
    const id = await subscribe();
    const { headers, secrets } = await opened(before, id);
    expect([headers, new Set(secrets).size]).toEqual([HEADERS, 2]);
    await expect(opened(before, id, newId('subscription'))).rejects.toMatchObject({
      code: 'CONFLICT',
      cause: expect.any(SealBrokenError),
    });
    await database.asOwner(
      `UPDATE event_subscription_secrets c SET sealed_value = o.sealed_value, wrapped_data_key = o.wrapped_data_key
       FROM event_subscription_secrets o WHERE c.subscription_id = $1 AND o.subscription_id = $1 AND c.retires_at IS NULL AND o.retires_at IS NOT NULL`,
      [id],
    );
    await expect(opened(before, id)).rejects.toThrow(SealBrokenError);
    await database.asOwner('DELETE FROM event_subscription_secrets; DELETE FROM event_subscriptions');
  });

  test('is rewrapped, and the old master key can go', async () => {
    const id = await subscribe();
    const was = await opened(before, id);
    expect((await rewrapAllSecrets(database.db, during)).rewrapped).toBe(3); // the headers and two secrets
    expect(await opened(after, id)).toEqual(was);
    await expect(opened(before, id)).rejects.toMatchObject({ code: 'CONFLICT', cause: expect.any(MasterKeysError) });
    expect((await rewrapAllSecrets(database.db, during)).rewrapped).toBe(0);
  });

  test('the reply of the creation finds the secret that it made, and no later one', async () => {
    const id = await subscribe();
    const { db, tenant } = database;
    const first = () => db.withEnvironment(tenant, (tx) => readFirstSecret(tx, id));
    expect(await first()).not.toBeNull();
    const destroyed = { subscriptionId: id, gracePeriodSeconds: 0 };
    await db.withEnvironment(tenant, (tx) => rotateSubscriptionSecret(tx, before, tenant, destroyed));
    expect(await first()).toBeNull();
  });
});
