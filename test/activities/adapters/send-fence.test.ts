import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { readFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { createAdapters } from '../../../activities/adapters/index.ts';
import { sendRequest } from '../../../activities/adapters/http-request/send-request.ts';
import { SendFence } from '../../../activities/adapters/send-fence.ts';
import { LOOPBACK_EGRESS, parseEgressAllow } from '../../../domain/egress.ts';
import type { BodyPart } from '../../../domain/adapters/adapter-descriptor.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { SELF_SIGNED_CERTIFICATE_FILE, SELF_SIGNED_KEY_FILE } from '../../harness/target.ts';
import { SetClocks } from '../../harness/set-clocks.ts';
import { WATCHDOG } from '../../harness/watchdog.ts';
import { type AdapterCalls, callsOf } from './kit.ts';

/** The fence between a claim and the first byte: every adapter's dispatch passes it, on its connected socket. */

const egressAllow = parseEgressAllow(LOOPBACK_EGRESS);
const PAUSE_MS = 15_000;
const PAUSED = expect.stringContaining('the worker was paused for') as string;

let clocks = new SetClocks();
let received = Buffer.alloc(0);
let connections = 0;
/** As soon as the kernel has the connection, and before a handshake. */
let onConnection: () => void = () => undefined;
let onData: () => void = () => undefined;
let lastByte = '\r\n\r\n';
const take = (socket: Socket): void => {
  socket.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    onData();
    if (received.includes(lastByte)) socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}');
  });
};
const certificate = readFileSync(SELF_SIGNED_CERTIFICATE_FILE, 'utf8');
const servers = [
  createServer(take),
  createTlsServer({ cert: certificate, key: readFileSync(SELF_SIGNED_KEY_FILE) }, take),
] as const;
for (const server of servers) {
  server.on('connection', () => {
    connections += 1;
    onConnection();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
}
afterAll(() => {
  for (const server of servers) server.close();
});
const [plainPort, tlsPort] = servers.map((server) => (server.address() as AddressInfo).port);
const baseUrl = `http://127.0.0.1:${plainPort}`;

const ADAPTERS: [string, JsonObject, Record<string, string>, JsonObject][] = [
  ['http.request', { method: 'POST', url: `${baseUrl}/orders`, body: { n: 1 } }, {}, {}],
  [
    'stripe.refund',
    { mode: 'test', secret: 'STRIPE_KEY' },
    { STRIPE_KEY: 'sk_test_1' },
    { payment_intent: 'pi_1', amount: 100 },
  ],
  [
    'resend.email',
    { domain: 'example.com' },
    { RESEND_API_KEY: 're_1' },
    { from: 'ada@example.com', to: ['bob@example.org'], subject: 'Hello', text: 'Hello' },
  ],
  [
    'github.issue_comment',
    { repository: 'acme/app', apiBaseUrl: baseUrl },
    { GITHUB_TOKEN: 'ghp_1' },
    { issue_number: 1, body: 'Hello' },
  ],
];

/** Claimed now: what happens from here on is between the claim and the first byte. */
async function dispatched(call: AdapterCalls, input: JsonObject) {
  return fenced(() => call.dispatch(input, 'eff_1', { timeoutMs: 5_000 }));
}

async function fenced<T>(work: () => Promise<T>): Promise<T> {
  clocks = new SetClocks();
  [received, connections] = [Buffer.alloc(0), 0];
  const fence = new SendFence(clocks.pauses, { pausedMsMax: 5_000, lastsMs: 60_000 });
  return WATCHDOG.run({ kind: 'dispatch', workspaceId: 'workspace', ids: {}, timeoutMs: 5_000, fence }, work);
}

test.each(ADAPTERS)(
  '%s sends nothing where the worker was paused while it connected',
  async (type, config, secrets, input) => {
    const adapterFor = createAdapters({ egressAllow, stripeBaseUrl: baseUrl, resendBaseUrl: baseUrl });
    const call = callsOf(adapterFor({ type, version: '1' }), config, secrets);
    onConnection = () => undefined;
    expect(await dispatched(call, input)).toMatchObject({ kind: 'answered' });
    onConnection = () => {
      // On waking, the timer runs before the connection is noticed.
      clocks.pause(PAUSE_MS);
      clocks.beatNow();
    };
    expect(await dispatched(call, input)).toEqual({ kind: 'not_sent', reason: PAUSED });
    expect([connections, received.byteLength]).toEqual([1, 0]);
  },
);

test('https sends nothing where the worker was paused within the handshake', async () => {
  const request = {
    method: 'POST',
    url: `https://localhost:${tlsPort}/`,
    headers: {},
    body: '{}',
    bodyEncoding: 'utf8',
  } as const;
  const options = { egressAllow, certificateAuthorities: [certificate] };
  const { signal } = new AbortController();
  const send = () => sendRequest(options, request, { bytesMax: 100, larger: 'cut' }, { timeoutMs: 5_000, signal });
  onConnection = () => undefined;
  expect(await fenced(send)).toMatchObject({ kind: 'response', response: { status: 200 } });
  onConnection = () => clocks.pause(PAUSE_MS);
  expect(await fenced(send)).toEqual({ kind: 'not_sent', reason: PAUSED });
  expect([connections, received.byteLength]).toEqual([1, 0]);
});

test('a body with files: the rest is kept back where the worker was paused between two writes', async () => {
  const file = { id: 'file_1', size: 6, sha256: '' } as never;
  const bodyParts: BodyPart[] = [{ text: 'first ' }, { file, encoding: 'raw' }];
  const request = { method: 'POST', url: `${baseUrl}/files`, headers: {}, body: null, bodyEncoding: 'utf8' } as const;
  const { signal } = new AbortController();
  const send = (pauseMs: number) => {
    async function* attached() {
      await new Promise<void>((resolve) => {
        onData = () => received.includes('first ') && resolve();
      });
      clocks.pause(pauseMs);
      yield Buffer.from('second');
    }
    const limits = { timeoutMs: 5_000, signal, attached };
    return sendRequest({ egressAllow }, { ...request, bodyParts }, { bytesMax: 100, larger: 'cut' }, limits);
  };
  [onConnection, lastByte] = [() => undefined, 'second'];
  expect(await fenced(() => send(0))).toMatchObject({ kind: 'response', response: { status: 200 } });
  // Bytes have left: nobody can say that nothing was sent.
  expect(await fenced(() => send(PAUSE_MS))).toEqual({ kind: 'no_answer', reason: PAUSED });
  expect(received.toString()).toContain('first ');
  expect(received.toString()).not.toContain('second');
  [onData, lastByte] = [() => undefined, '\r\n\r\n'];
});

test('a read and a delivery need no fence', async () => {
  onConnection = () => undefined;
  const request = { method: 'GET', url: baseUrl, headers: {}, body: null, bodyEncoding: 'utf8' } as const;
  for (const kind of ['delivery', 'provider_read'] as const) {
    const sent = await WATCHDOG.run({ kind, workspaceId: 'workspace', ids: {}, timeoutMs: 5_000 }, (signal) =>
      sendRequest({ egressAllow }, request, { bytesMax: 100, larger: 'cut' }, { timeoutMs: 5_000, signal }),
    );
    expect(sent).toMatchObject({ kind: 'response' });
    received = Buffer.alloc(0);
  }
});
