import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { parseEgressAllow } from '../../../../domain/egress.ts';
import { SELF_SIGNED_CERTIFICATE_FILE, startTarget } from '../../../harness/target.ts';
import type { Target } from '../../../harness/target.ts';
import { adapterWith, answered, dispatch, readBack } from './calls.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A port of the loopback that takes connections and counts them and their bytes. */
async function listen(): Promise<{ port: number; seen: { connections: number; bytes: number } }> {
  const seen = { connections: 0, bytes: 0 };
  const server = createServer((socket) => {
    seen.connections++;
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk) => {
      seen.bytes += chunk.byteLength;
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, resolve));
  return { port: (server.address() as AddressInfo).port, seen };
}

const strict = adapterWith({ egressAllow: parseEgressAllow('') });
const BLOCKED = { kind: 'refused', refusal: { code: 'destination_blocked' } };

describe('a blocked destination is refused and nothing is sent', () => {
  it.each([
    '127.0.0.1',
    '127.1',
    '0x7f.1',
    '2130706433',
    '017700000001',
    '0',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::]',
    'localhost',
    'LOCALHOST',
  ])('http://%s', async (host) => {
    const { port, seen } = await listen();
    expect(await dispatch({ config: { url: `http://${host}:${port}/` } }, strict)).toMatchObject(BLOCKED);
    expect(seen).toEqual({ connections: 0, bytes: 0 });
  });

  it.each([
    '169.254.169.254',
    '10.0.0.1',
    '192.168.1.1',
    '100.64.0.1',
    '[fd00:ec2::254]',
    '[64:ff9b::a9fe:a9fe]',
    '[2002:7f00:1::]',
    '224.0.0.1',
    '0.0.0.0',
  ])('https://%s', async (host) => {
    expect(await dispatch({ config: { url: `https://${host}/` } }, strict)).toMatchObject(BLOCKED);
  });

  it('where any one of the addresses of a name is blocked', async () => {
    const { port, seen } = await listen();
    const resolve = () =>
      Promise.resolve([
        { address: '127.0.0.1', family: 4 },
        { address: '10.0.0.1', family: 4 },
      ]);
    expect(await dispatch({ config: { url: `http://name.test:${port}/` } }, adapterWith({ resolve }))).toMatchObject(
      BLOCKED,
    );
    expect(seen.connections).toBe(0);
  });

  it('for a read-back as well', async () => {
    const { port, seen } = await listen();
    const verify = {
      request: { method: 'GET' as const, url: `http://127.0.0.1:${port}/` },
      expect: [{ path: 'status', op: 'exists' as const }],
    };
    expect(await readBack(verify, {}, strict)).toMatchObject({ kind: 'inconclusive', response: null });
    expect(seen.connections).toBe(0);
  });
});

it('resolves a name once, so that it cannot be rebound between the check and the connection', async () => {
  const checked = await listen();
  let asked = 0;
  const resolve = () => {
    asked++;
    return Promise.resolve([{ address: asked === 1 ? '127.0.0.1' : '10.255.255.1', family: 4 }]);
  };
  const result = await answered({ config: { url: `http://rebind.test:${checked.port}/` } }, adapterWith({ resolve }));
  expect(result.outcome).toBe('succeeded');
  expect({ asked, connections: checked.seen.connections }).toEqual({ asked: 1, connections: 1 });
});

describe('provably not sent', () => {
  it('a name that does not resolve', async () => {
    const result = await dispatch({ config: { url: 'http://no-such-name.invalid/' } });
    expect(result).toMatchObject({ kind: 'not_sent' });
  });

  it('a name without an address', async () => {
    const adapter = adapterWith({ resolve: () => Promise.resolve([]) });
    expect((await dispatch({ config: { url: 'http://name.test/' } }, adapter)).kind).toBe('not_sent');
  });

  it('a name whose resolution hangs', async () => {
    const adapter = adapterWith({ resolve: () => new Promise(() => undefined) });
    const result = await dispatch({ config: { url: 'http://name.test/' }, timeoutMs: 100 }, adapter);
    expect(result).toMatchObject({ kind: 'not_sent', reason: expect.stringContaining('time-out') as string });
  });

  it('a refused connection', async () => {
    const { port } = await listen();
    const [server] = servers.splice(0);
    await new Promise((resolve) => server?.close(resolve));
    const result = await dispatch({ config: { url: `http://127.0.0.1:${port}/` } });
    expect(result).toMatchObject({ kind: 'not_sent', reason: expect.stringContaining('ECONNREFUSED') as string });
  });

  it('a handshake that hangs, is refused or is not TLS', async () => {
    const hanging = createServer();
    const closing = createServer((socket) => socket.once('data', () => socket.destroy()));
    const talking = createServer((socket) => socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')));
    for (const server of [hanging, closing, talking]) {
      servers.push(server);
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      const result = await dispatch({ config: { url: `https://127.0.0.1:${port}/` }, timeoutMs: 300 });
      expect(result.kind).toBe('not_sent');
    }
  });
});

describe('TLS', () => {
  let target: Target;
  beforeAll(async () => {
    target = await startTarget({ tls: true });
  });
  afterAll(() => target.stop());

  it('sends nothing to a certificate that is not trusted, whatever the environment says', async () => {
    const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    try {
      const result = await dispatch({
        config: { url: `${target.baseUrl}/ok`, headers: { A: '{{secret:K}}' } },
        secrets: { K: 'sk_1234' },
      });
      expect(result).toMatchObject({ kind: 'not_sent', reason: expect.stringMatching(/self.signed/i) as string });
    } finally {
      if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
      else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before;
    }
    expect(await target.requests()).toEqual([]);
  });

  it('checks the name as well as the signature', async () => {
    const trusting = adapterWith({
      certificateAuthorities: [readFileSync(SELF_SIGNED_CERTIFICATE_FILE, 'utf8')],
      resolve: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
    });
    const url = (host: string): string => `https://${host}:${target.port}/ok`;
    expect((await answered({ config: { url: url('target.test') } }, trusting)).outcome).toBe('succeeded');
    expect((await dispatch({ config: { url: url('other.test') } }, trusting)).kind).toBe('not_sent');
    expect((await target.requests()).map((seen) => seen.headers['host'])).toEqual([`target.test:${target.port}`]);
  });
});
