import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { pino } from 'pino';
import { HttpServer, type HttpLimits, type HttpServerOptions } from '../../../api/http/http-server.ts';
import { parseAddressRanges } from '../../../domain/address-ranges.ts';
import { PATIENCE_MS } from '../../harness/patience.ts';

const AMPLE: HttpLimits = {
  connectionsMax: 100,
  connectionsPerAddressMax: 100,
  headersTimeoutMs: 60_000,
  requestTimeoutMs: 60_000,
};
const REQUEST = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
/** More than the buffers at both ends of a loopback connection can hold. */
const LARGE_BYTES = 64_000_000;

describe('the connections and memory that clients may hold in an API process', () => {
  const servers: HttpServer[] = [];
  const sockets: Socket[] = [];
  const lines: string[] = [];

  const serve = async (limits: Partial<HttpLimits>, options: Partial<HttpServerOptions> = {}): Promise<number> => {
    const server = new HttpServer(
      (request, response) => {
        if (request.url === '/large') return void response.end(Buffer.alloc(LARGE_BYTES));
        request.on('error', () => undefined);
        request.resume().once('end', () => response.end('answered'));
      },
      {
        limits: { ...AMPLE, ...limits },
        trustedProxies: [],
        logger: pino({}, { write: (line: string) => void lines.push(line) }),
        ...options,
      },
    );
    servers.push(server);
    return server.listen(0, '127.0.0.1');
  };

  /** Connects, sends, and keeps what is received. */
  const open = async (
    port: number,
    text = '',
  ): Promise<{ socket: Socket; received: () => string; ended: Promise<unknown> }> => {
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    let received = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (received += chunk));
    socket.on('error', () => undefined); // a refused connection may be reset
    const ended = new Promise((resolve) => socket.once('close', resolve));
    await once(socket, 'connect');
    socket.write(text);
    return { socket, received: () => received, ended };
  };
  type Opened = Awaited<ReturnType<typeof open>>;
  /** What was received until there was a reply or the connection ended. */
  const replyOf = ({ socket, received, ended }: Opened): Promise<string> =>
    Promise.race([
      ended.then(received),
      new Promise<string>((resolve) => {
        const look = (): void => {
          if (received().includes('answered')) resolve(received());
        };
        socket.on('data', look);
        look();
      }),
    ]);

  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await Promise.all(servers.splice(0).map((server) => server.drain(0, () => undefined)));
    lines.length = 0;
  });

  it('closes the connections above its cap, says so once, and takes new ones when others leave', async () => {
    const port = await serve({ connectionsMax: 2 });
    const half = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n';
    const held = [await open(port, half), await open(port, half)];
    for (let extra = 0; extra < 3; extra++) await (await open(port, REQUEST)).ended;
    expect(lines.filter((line) => line.includes('connections were refused'))).toHaveLength(1);
    held[0]?.socket.destroy();
    await expect.poll(async () => replyOf(await open(port, REQUEST))).toContain('answered');
  });

  it('does not wait on a stop for a connection that was never used, and answers the last request of one that began late', async () => {
    const port = await serve({});
    const [unused, late] = [await open(port), await open(port, 'GET / HTTP/1.1\r\nHost: x\r\n')];
    await open(port, REQUEST).then(replyOf); // what was sent before has been read
    let isGraceOver = false;
    const drained = servers[0]?.drain(PATIENCE_MS / 4, () => (isGraceOver = true));
    late.socket.write('\r\n');
    expect(await replyOf(late)).toMatch(/^connection: close/im);
    await Promise.all([unused.ended, late.ended, drained]);
    expect(isGraceOver).toBe(false);
  });

  it('ends a connection whose reply had begun before the drain once that reply is complete', async () => {
    let end = (): void => undefined;
    const server = new HttpServer(
      (_request, response) => {
        response.write('answered in part');
        end = () => void response.end();
      },
      { limits: AMPLE, trustedProxies: [], logger: pino({ level: 'silent' }) },
    );
    const stream = await open(await server.listen(0, '127.0.0.1'), REQUEST);
    await replyOf(stream);
    let isGraceOver = false;
    const drained = server.drain(PATIENCE_MS / 4, () => (isGraceOver = true));
    end();
    await Promise.all([stream.ended, drained]);
    expect(isGraceOver).toBe(false);
  });

  it('makes room by closing idle connections', async () => {
    const port = await serve({ connectionsMax: 1 });
    const idle = await open(port, REQUEST);
    expect(await replyOf(idle)).toContain('answered');
    await (
      await open(port)
    ).ended;
    await idle.ended;
    expect(await replyOf(await open(port, REQUEST))).toContain('answered');
  });

  it('holds one address to its own cap, and gives the place back when a connection ends', async () => {
    const port = await serve({ connectionsPerAddressMax: 1 });
    const first = await open(port, REQUEST);
    expect(await replyOf(first)).toContain('answered');
    const second = await open(port, REQUEST);
    await second.ended;
    expect(second.received()).toBe('');
    first.socket.destroy();
    await expect.poll(async () => replyOf(await open(port, REQUEST))).toContain('answered');
  });

  it('does not count the connections of a trusted proxy against one address', async () => {
    const port = await serve({ connectionsPerAddressMax: 1 }, { trustedProxies: parseAddressRanges('127.0.0.1') });
    expect(await replyOf(await open(port, REQUEST))).toContain('answered');
    expect(await replyOf(await open(port, REQUEST))).toContain('answered');
  });

  it.each([
    ['headers', { headersTimeoutMs: 300 }, 'GET / HTTP/1.1\r\nHost: x\r\n'],
    ['a body', { requestTimeoutMs: 300 }, 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab'],
  ])('ends the connection of a client that takes too long to send %s', async (_what, limits, text) => {
    const port = await serve(limits);
    const startedAt = performance.now();
    const slow = await open(port, text);
    await slow.ended;
    expect(slow.received()).toMatch(/^HTTP\/1\.1 408 /);
    // By default Node checks for overdue requests every 30 s.
    expect(performance.now() - startedAt).toBeLessThan(15_000);
  });

  it('gives a reply up that its client does not read', async () => {
    const port = await serve({}, { unreadReplyTimeoutMs: 300 });
    const deaf = connect(port, '127.0.0.1');
    sockets.push(deaf);
    deaf.on('error', () => undefined);
    deaf.pause().write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n');
    const unanswered = () => servers[0]?.unanswered;
    await expect.poll(unanswered, { interval: 5 }).toBe(1);
    await expect.poll(unanswered).toBe(0);
  });
});
