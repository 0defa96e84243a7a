import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { createAdapters, createSender } from '../../../../activities/adapters/index.ts';
import { createDocumentFetcher } from '../../../../activities/adapters/http-request/fetch-document.ts';
import { OwnEndpoints } from '../../../../activities/adapters/http-request/own-endpoints.ts';
import type { Resolve } from '../../../../activities/adapters/http-request/resolve.ts';
import type { SendOptions } from '../../../../activities/adapters/http-request/send-request.ts';
import { parseEgressAllow } from '../../../../domain/egress.ts';
import { WATCHDOG } from '../../../harness/watchdog.ts';
import { callsOf } from '../kit.ts';
import { adapterWith, dispatch, readBack } from './calls.ts';

/** The widest exception that an operator could make. */
const EVERYTHING = parseEgressAllow('0.0.0.0/0,::/0');
const BLOCKED = { kind: 'refused', refusal: { code: 'destination_blocked' } };

const seen = { own: 0, other: 0 };
const port = (server: Server): number => (server.address() as AddressInfo).port;

async function listening(count: () => void): Promise<Server> {
  const server = createServer((socket) => {
    count();
    socket.on('error', () => socket.destroy());
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'));
  });
  server.listen(0, '::');
  await once(server, 'listening');
  return server;
}
const own = await listening(() => seen.own++);
const other = await listening(() => seen.other++);
afterAll(() => {
  own.close();
  other.close();
});
beforeEach(() => void Object.assign(seen, { own: 0, other: 0 }));

function guarded(host = '127.0.0.1', options: Partial<SendOptions> = {}, resolveOwn?: Resolve): SendOptions {
  const ownEndpoints = new OwnEndpoints([{ host, port: port(own) }], resolveOwn);
  return { egressAllow: EVERYTHING, ownEndpoints, ...options };
}

const ofThisMachine = Object.values(networkInterfaces()).flatMap((addresses) =>
  (addresses ?? []).filter(({ scopeid }) => !scopeid).map(({ address }) => address),
);
const SPELLINGS = [
  '127.0.0.1',
  '127.1',
  '127.9.9.9',
  '0x7f.1',
  '2130706433',
  '0',
  '[::1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  'localhost',
  'LOCALHOST',
  ...ofThisMachine.map((address) => (address.includes(':') ? `[${address}]` : address)),
];

describe('a port of the service itself', () => {
  it.each(SPELLINGS)('is refused as http://%s, also where everything is allowed', async (host) => {
    const result = await dispatch({ config: { url: `http://${host}:${port(own)}/` } }, adapterWith(guarded()));
    expect(result).toMatchObject(BLOCKED);
    expect(seen).toEqual({ own: 0, other: 0 });
  });

  it.each(['0.0.0.0', '::', '::1', 'localhost'])('is refused where it listens on %s', async (host) => {
    const result = await dispatch({ config: { url: `http://127.0.0.1:${port(own)}/` } }, adapterWith(guarded(host)));
    expect(result).toMatchObject(BLOCKED);
  });

  it('is refused by the address that a name leads to', async () => {
    const resolve: Resolve = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]);
    const url = `http://innocent.test:${port(own)}/`;
    expect(await dispatch({ config: { url } }, adapterWith(guarded('127.0.0.1', { resolve })))).toMatchObject(BLOCKED);
    expect(seen.own).toBe(0);
  });

  it('is refused where the service knows its host by a name, and still while that name does not resolve', async () => {
    let isAway = false;
    const resolveOwn: Resolve = () =>
      isAway ? Promise.reject(new Error('ENOTFOUND')) : Promise.resolve([{ address: '127.0.0.1', family: 4 }]);
    const adapter = adapterWith(guarded('temporal', {}, resolveOwn));
    const call = { config: { url: `http://127.0.0.1:${port(own)}/` } };
    expect(await dispatch(call, adapter)).toMatchObject(BLOCKED);
    isAway = true;
    expect(await dispatch(call, adapter)).toMatchObject(BLOCKED);
  });

  it('is refused at every port where the whole host is the service’s', async () => {
    const ownEndpoints = new OwnEndpoints([{ host: '127.0.0.1', port: null }]);
    const adapter = adapterWith({ egressAllow: EVERYTHING, ownEndpoints });
    expect(await dispatch({ config: { url: `http://127.0.0.1:${port(other)}/` } }, adapter)).toMatchObject(BLOCKED);
  });

  it('is refused to a read-back, a delivery, a provider’s adapter and the fetch of a description', async () => {
    const url = `http://127.0.0.1:${port(own)}/`;
    const verify = { request: { method: 'GET', url }, confirm: [{ path: 'a', equals: 1 }] };
    expect(await readBack(verify as never, {}, adapterWith(guarded()))).toMatchObject({
      summary: expect.stringContaining("this service's own") as string,
    });
    const request = { method: 'POST', url, headers: {}, body: '{}', bodyEncoding: 'utf8' } as const;
    const limits = { timeoutMs: 5_000, signal: new AbortController().signal };
    const sent = await createSender(guarded())(request, { bytesMax: 10, larger: 'cut' }, limits);
    expect(sent.kind).toBe('blocked');
    const adapterFor = createAdapters({ ...guarded(), stripeBaseUrl: url });
    const stripe = callsOf(
      adapterFor({ type: 'stripe.refund', version: '1' }),
      { mode: 'test', secret: 'KEY' },
      { KEY: 'sk_test_51FakeFakeFakeFake' },
    );
    expect(await stripe.dispatch({ payment_intent: 'pi_1', amount: 1 }, 'eff_1')).toMatchObject(BLOCKED);
    expect(await stripe.inspect({ payment_intent: 'pi_1', amount: 1 })).toMatchObject({ kind: 'unavailable' });
    const fetched = await createDocumentFetcher({ ...guarded(), watchdog: WATCHDOG })(url, 'workspace');
    expect(fetched).toMatchObject({ kind: 'refused', message: expect.stringContaining("service's own") as string });
    expect(seen).toEqual({ own: 0, other: 0 });
  });

  it('leaves another port of the same machine alone', async () => {
    const result = await dispatch({ config: { url: `http://127.0.0.1:${port(other)}/` } }, adapterWith(guarded()));
    expect(result.kind).toBe('answered');
    expect(seen).toEqual({ own: 0, other: 1 });
  });
});

describe('a part of the service on another machine', () => {
  const DATABASE = { host: '10.0.0.5', port: 5432 };

  it('is known by its address, in each of its spellings', async () => {
    const own = new OwnEndpoints([DATABASE]);
    expect(await own.include('innocent.test', ['10.0.0.5'], 5432)).toBe(true);
    expect(await own.include('innocent.test', ['192.0.2.1', '::ffff:10.0.0.5'], 5432)).toBe(true);
    expect(await own.include('innocent.test', ['10.0.0.6'], 5432)).toBe(false);
    expect(await own.include('innocent.test', ['10.0.0.5'], 5433)).toBe(false);
  });

  it('is known by its name, whatever that name leads to', async () => {
    const resolve: Resolve = () => Promise.reject(new Error('ENOTFOUND'));
    const own = new OwnEndpoints([{ host: 'db.internal', port: 5432 }], resolve);
    expect(await own.include('DB.internal', ['10.0.0.9'], 5432)).toBe(true);
    expect(await own.include('other.internal', ['10.0.0.9'], 5432)).toBe(false);
  });
});
