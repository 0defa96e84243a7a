import { expect, test } from 'vitest';
import type { z } from 'zod';
import { createdSubscriptionSchema, subscriptionSchema } from '../../../api/events/schemas.ts';
import { type CallResult, startTestApi } from '../harness/test-api.ts';
import { dataOf, errorOf } from '../invocations/support.ts';

const api = await startTestApi({ taskQueue: 'nobody-polls' });
const { key } = await api.createKey(api.database.tenant);

const call = (method: string, path: string, body?: unknown): Promise<CallResult> =>
  api.call(method, `/api/v2/events${path}`, { key, body });
const get = (id: string): Promise<CallResult> => call('GET', `/subscriptions/${id}`);

async function create(topic: string, body: object = {}): Promise<z.infer<typeof createdSubscriptionSchema>> {
  expect((await call('POST', '/topics', { name: topic })).status).toBe(201);
  const asked = { url: 'https://shop.example/hook', ...body };
  return dataOf(await call('POST', `/topics/${topic}/subscriptions`, asked), createdSubscriptionSchema);
}

test('200: as a PATCH answers it: headers without the values of credentials, and no secret', async () => {
  const headers = { Authorization: 'Bearer of-the-shop', 'X-Shop': 'books' };
  const { secret, ...shown } = await create('whole', { headers, generateSecret: true });
  expect(secret).toMatch(/^whsec_/);
  const reply = await get(shown.id);
  expect(reply.status).toBe(200);
  expect(dataOf(reply, subscriptionSchema)).toEqual(shown);
  expect(shown).toMatchObject({ headers: { Authorization: '[REDACTED]', 'X-Shop': 'books' }, hasCustomSecret: true });
  expect(reply.text).not.toMatch(/whsec_|of-the-shop/);
  const patched = dataOf(await call('PATCH', `/subscriptions/${shown.id}`, { enabled: false }), subscriptionSchema);
  expect(dataOf(await get(shown.id), subscriptionSchema)).toEqual(patched);
});

test('200: also where its sealed headers do not open any more, since it opens nothing', async () => {
  const { id } = await create('unopened', { headers: { Authorization: 'Bearer of-the-shop' } });
  await api.database.asOwner('UPDATE event_subscriptions SET master_key_version = 99 WHERE id = $1', [id]);
  expect(dataOf(await get(id), subscriptionSchema).headers).toEqual({ Authorization: '[REDACTED]' });
});

test('404: one that was deleted, one whose topic was, and one that never was', async () => {
  const alone = await create('alone');
  const ofTopic = await create('deleted');
  expect((await call('DELETE', `/subscriptions/${alone.id}`)).status).toBe(200);
  expect((await call('DELETE', '/topics/deleted')).status).toBe(200);
  for (const id of [alone.id, ofTopic.id, 'sub_0000000000000000000000']) {
    const reply = await get(id);
    expect([reply.status, errorOf(reply).code], reply.text).toEqual([404, 'NOT_FOUND']);
  }
});
