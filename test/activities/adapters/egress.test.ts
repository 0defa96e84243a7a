import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { AdapterOptions } from '../../../activities/adapters/index.ts';
import { createAdapters } from '../../../activities/adapters/index.ts';
import { LOOPBACK_EGRESS, parseEgressAllow } from '../../../domain/egress.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { callsOf, type AdapterCalls } from './kit.ts';

/** Every provider's adapter, whatever its base address, makes one connection to a checked address and follows no redirect. */
const PROVIDERS: [type: string, config: JsonObject, input: JsonObject][] = [
  ['stripe.refund', { mode: 'test', secret: 'KEY' }, { payment_intent: 'pi_1', amount: 1 }],
  [
    'resend.email',
    { domain: 'example.com', secret: 'KEY' },
    { from: 'ada@example.com', to: 'bob@example.org', subject: 'Hello', text: 'Hello' },
  ],
  ['github.issue_comment', { repository: 'acme/app', secret: 'KEY' }, { issue_number: 1, body: 'Done.' }],
];
const KEY = 'sk_test_51FakeFakeFakeFake';

const seen = { requests: 0, elsewhere: 0 };
afterAll(() => {
  for (const each of [server, elsewhere]) {
    each.close();
    each.closeAllConnections();
  }
});
beforeEach(() => void Object.assign(seen, { requests: 0, elsewhere: 0 }));

const listening = (each: Server): Promise<void> =>
  new Promise((resolve) => void each.listen(0, '127.0.0.1', () => resolve()));
const originOf = (host: string, each: Server): string => `http://${host}:${(each.address() as AddressInfo).port}`;

const elsewhere = createServer((_, response) => void response.writeHead(200).end('{}')).on('connection', () => {
  seen.elsewhere++;
});
await listening(elsewhere);
const server = createServer((request, response) => {
  seen.requests++;
  request.resume().on('end', () => void response.writeHead(307, { location: originOf('127.0.0.1', elsewhere) }).end());
});
await listening(server);

function calls(type: string, config: JsonObject, host: string, options: Partial<AdapterOptions> = {}): AdapterCalls {
  const baseUrl = originOf(host, server);
  const adapterFor = createAdapters({
    egressAllow: parseEgressAllow(LOOPBACK_EGRESS),
    stripeBaseUrl: baseUrl,
    resendBaseUrl: baseUrl,
    ...options,
  });
  const placed = type === 'github.issue_comment' ? { ...config, apiBaseUrl: baseUrl } : config;
  return callsOf(adapterFor({ type, version: '1' }), placed, { KEY });
}

describe.each(PROVIDERS)('%s', (type, config, input) => {
  test('follows no redirect: of what was asked nothing is known', async () => {
    const result = await calls(type, config, '127.0.0.1').dispatch(input, 'eff_1');
    expect(result).toMatchObject({ kind: 'answered', outcome: 'unknown', partialEffect: 'possible' });
    expect(seen).toEqual({ requests: 1, elsewhere: 0 });
  });

  test('follows none in a read either', async () => {
    const known = { status: 200, headers: {}, body: { id: 'a-1' }, bodyEncoding: 'json' } as const;
    const result = await calls(type, config, '127.0.0.1').readBack(input, 'eff_1', known);
    expect(result.kind).toBe('inconclusive');
    expect(seen).toEqual({ requests: 1, elsewhere: 0 });
  });

  test('resolves the name once, so that it cannot be rebound between the check and the connection', async () => {
    let asked = 0;
    const resolve = () => {
      asked++;
      return Promise.resolve([{ address: asked === 1 ? '127.0.0.1' : '10.255.255.1', family: 4 }]);
    };
    await calls(type, config, 'rebind.test', { resolve }).dispatch(input, 'eff_1');
    expect({ asked, ...seen }).toEqual({ asked: 1, requests: 1, elsewhere: 0 });
  });

  test.each<[string, Partial<AdapterOptions>]>([
    ['the loopback, where it is not allowed', { egressAllow: parseEgressAllow('') }],
    [
      'a name of which one address is private',
      {
        resolve: () =>
          Promise.resolve([
            { address: '127.0.0.1', family: 4 },
            { address: '169.254.169.254', family: 4 },
          ]),
      },
    ],
  ])('sends nothing to %s', async (_, options) => {
    const guarded = calls(type, config, 'name.test', {
      resolve: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
      ...options,
    });
    expect(await guarded.dispatch(input, 'eff_1')).toMatchObject({
      kind: 'refused',
      refusal: { code: 'destination_blocked' },
    });
    expect((await guarded.readBack(input, 'eff_1')).kind).not.toBe('matched');
    expect(seen).toEqual({ requests: 0, elsewhere: 0 });
  });
});
