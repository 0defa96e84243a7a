import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { createAdapters } from '../../../activities/adapters/index.ts';
import { LOOPBACK_EGRESS, parseEgressAllow } from '../../../domain/egress.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { callsOf, type AdapterCalls } from './kit.ts';

const REPLY = JSON.stringify({ ok: 'ä'.repeat(300) });
const REPLY_BYTES = Buffer.byteLength(REPLY);

const server = createServer((request, response) => {
  request.resume().on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end(REPLY));
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
afterAll(() => new Promise((resolve) => server.close(resolve)));

const calls = (type: string, config: JsonObject, secrets: Record<string, string> = {}): AdapterCalls => {
  const egressAllow = parseEgressAllow(LOOPBACK_EGRESS);
  const adapterFor = createAdapters({ egressAllow, stripeBaseUrl: baseUrl, resendBaseUrl: baseUrl });
  return callsOf(adapterFor({ type, version: '1' }), config, secrets);
};
const http = (config: JsonObject = {}): AdapterCalls =>
  calls('http.request', { method: 'POST', url: `${baseUrl}/orders`, body: { name: 'Grüße' }, ...config });

test.each<[string, () => AdapterCalls, JsonObject]>([
  ['http.request', http, {}],
  [
    'stripe.refund',
    () => calls('stripe.refund', { mode: 'test', secret: 'STRIPE_KEY' }, { STRIPE_KEY: 'sk_test_1' }),
    { payment_intent: 'pi_1', amount: 100 },
  ],
  [
    'resend.email',
    () => calls('resend.email', { domain: 'example.com' }, { RESEND_API_KEY: 're_1' }),
    { from: 'ada@example.com', to: ['bob@example.org'], subject: 'Grüße', text: 'Hallo' },
  ],
  [
    'github.issue_comment',
    () => calls('github.issue_comment', { repository: 'acme/app', apiBaseUrl: baseUrl }, { GITHUB_TOKEN: 'ghp_1' }),
    { issue_number: 1, body: 'Grüße' },
  ],
])('%s counts the bytes of the body that it sent and of the one that it read', async (_, make, input) => {
  const [adapter, egress] = [make(), { bytes: 0 }];
  expect(await adapter.dispatch(input, 'eff_1', { egress })).toMatchObject({ kind: 'answered' });
  const { body } = adapter.prepared(input, 'eff_1');
  expect(egress.bytes).toBe(Buffer.byteLength(body ?? '') + REPLY_BYTES);
});

test('what was read of a response that is too large counts, although it proves nothing', async () => {
  const [adapter, egress] = [http({ maxResponseBytes: 10 }), { bytes: 0 }];
  expect(await adapter.dispatch({}, 'eff_1', { egress })).toMatchObject({ kind: 'no_answer' });
  expect(egress.bytes).toBe(Buffer.byteLength('{"name":"Grüße"}') + REPLY_BYTES);
});

test('what was not sent counts nothing', async () => {
  const egress = { bytes: 0 };
  const nobody = http({ url: 'http://127.0.0.1:1/' });
  expect(await nobody.dispatch({}, 'eff_1', { egress })).toMatchObject({ kind: 'not_sent' });
  const blocked = http({ url: 'http://10.0.0.1/' });
  expect(await blocked.dispatch({}, 'eff_1', { egress })).toMatchObject({ kind: 'refused' });
  expect(egress.bytes).toBe(0);
});
