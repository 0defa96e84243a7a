import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { testedSchema } from '../../../api/events/delivery-schemas.ts';
import { PATIENCE_MS, TEST_TIMEOUT_MS } from '../../harness/patience.ts';
import { startTestService } from '../../harness/service.ts';
import type { CallResult } from '../harness/test-api.ts';
import { dataOf } from '../invocations/support.ts';
import { type Delivered, startDestination } from '../messages/support.ts';
import { rotatedSecret } from '../signing-keys/support.ts';
import { signed, verifies } from '../messages/verify.ts';
import { plantTopicWith } from './plant.ts';

/** Receivers with the old and with the new secret, before, within and after the grace period of a rotation. */

const [service, destination] = await Promise.all([startTestService(), startDestination()]);

const secretIn = (reply: CallResult): string => dataOf(reply, z.looseObject({ secret: z.string() })).secret;
const rotate = async (subscriptionId: string): Promise<string> =>
  secretIn(
    await service.post(`/api/v2/events/subscriptions/${subscriptionId}/rotate-secret`, { gracePeriodSeconds: 3_600 }),
  );

/** Sends a test event, and returns what arrived. */
async function deliver(subscriptionId: string): Promise<Delivered> {
  const reply = await service.post(`/api/v2/events/subscriptions/${subscriptionId}/test`, undefined);
  const { messageId } = dataOf(reply, testedSchema);
  const find = () => destination.deliveries.find(({ headers }) => headers['webhook-id'] === messageId);
  await expect.poll(find, { timeout: PATIENCE_MS }).toBeDefined();
  const found = find();
  if (found === undefined) throw new Error('it arrived, and is gone');
  return found;
}
/** Which of these secrets a delivery is verified with. */
async function verifying(subscriptionId: string, secrets: readonly string[]): Promise<boolean[]> {
  const delivery = await deliver(subscriptionId);
  return secrets.map((secret) => verifies(secret, delivery.body, signed(delivery)));
}
/** The grace period passes. */
const pass = (): Promise<unknown> =>
  service.database.asOwner(
    `UPDATE event_subscription_secrets SET retires_at = retires_at - interval '1 hour',
       workspace_keys_until = workspace_keys_until - interval '1 hour'`,
  );

describe('a rotation', { timeout: TEST_TIMEOUT_MS }, () => {
  test('has both secrets verify throughout the grace period, and the old one fail after it', async () => {
    const { topicId } = await plantTopicWith(service.database);
    const created = await service.post(`/api/v2/events/topics/${topicId}/subscriptions`, {
      url: `${destination.baseUrl}/own`,
      generateSecret: true,
    });
    const { id } = dataOf(created, z.looseObject({ id: z.string() }));
    const old = secretIn(created);
    expect(await verifying(id, [old])).toEqual([true]);
    const fresh = await rotate(id);
    expect(await verifying(id, [old, fresh])).toEqual([true, true]);
    expect(await verifying(id, [old, fresh])).toEqual([true, true]);
    await pass();
    expect(await verifying(id, [old, fresh])).toEqual([false, true]);
  });

  test('to a first secret of its own has the keys of the workspace verify throughout, and fail after it', async () => {
    const workspace = await rotatedSecret(service, 0);
    const { subscriptionId } = await plantTopicWith(service.database, { url: `${destination.baseUrl}/first` });
    expect(await verifying(subscriptionId, [workspace])).toEqual([true]);
    const fresh = await rotate(subscriptionId);
    expect(await verifying(subscriptionId, [workspace, fresh])).toEqual([true, true]);
    await pass();
    expect(await verifying(subscriptionId, [workspace, fresh])).toEqual([false, true]);
  });
});
