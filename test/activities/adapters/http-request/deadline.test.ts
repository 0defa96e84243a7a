import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, describe, expect, test } from 'vitest';
import { createDocumentFetcher } from '../../../../activities/adapters/http-request/fetch-document.ts';
import { sendRequest, type SendOptions } from '../../../../activities/adapters/http-request/send-request.ts';
import { LOOPBACK_EGRESS, parseEgressAllow } from '../../../../domain/egress.ts';
import { PATIENCE_MS } from '../../../harness/patience.ts';
import { WATCHDOG } from '../../../harness/watchdog.ts';

/**
 * Every phase of a call ends by its deadline, also while the garbage collector runs in full: Node 20 collects the timer of an
 * `AbortSignal` composed of others (nodejs/node#57736), and a hanging target then held its slot until a restart.
 */

/** Long enough that also a busy machine reaches the phase that hangs. */
const TIMEOUT_MS = 1_000;
/** The same where a hundred calls share the machine: the first that let one of them reach it. */
const CROWD_TIMEOUTS_MS = [4_000, 16_000, 64_000];
const COLLECT_EVERY_MS = 20;
/** A call whose deadline was lost never ends. */
const LOST_AFTER_MS = PATIENCE_MS;

const egressAllow = parseEgressAllow(LOOPBACK_EGRESS);
const FULL_BACKLOG = fileURLToPath(new URL('full-backlog.mjs', import.meta.url));

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
const collecting = setInterval(collect, COLLECT_EVERY_MS);
afterAll(() => clearInterval(collecting));

const cleanUp: (() => void)[] = [];
afterAll(() => {
  for (const each of cleanUp) each();
});

/** Accepts connections and treats each as the phase requires. */
async function serverThat(behaves: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
    behaves(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
}

/** A port whose backlog is full, so that a connection to it stays in its first step. */
async function portThatNeverAccepts(): Promise<number> {
  const child: ChildProcess = spawn(process.execPath, [FULL_BACKLOG], { stdio: ['ignore', 'pipe', 'inherit'] });
  cleanUp.push(() => void child.kill('SIGKILL'));
  if (child.stdout === null) throw new Error('the child has no output');
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  for (let left = 4; left > 0; left--) {
    const filler = connect(Number(line), '127.0.0.1').on('error', () => undefined);
    cleanUp.push(() => void filler.destroy());
  }
  return Number(line);
}

const drip = (socket: Socket): void => {
  socket.once('data', () => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n');
    const dripping = setInterval(() => socket.write('x'), COLLECT_EVERY_MS);
    socket.once('close', () => clearInterval(dripping));
  });
};

interface Phase {
  phase: string;
  url(): Promise<string>;
  options?: Partial<SendOptions>;
  kind: 'not_sent' | 'no_answer';
}

const PHASES: Phase[] = [
  {
    phase: 'the name',
    url: () => Promise.resolve('http://never.test/'),
    options: { resolve: () => new Promise(() => undefined) },
    kind: 'not_sent',
  },
  {
    phase: 'the connection',
    url: async () => `http://127.0.0.1:${await portThatNeverAccepts()}/`,
    kind: 'not_sent',
  },
  {
    phase: 'the TLS handshake',
    url: async () => `https://127.0.0.1:${await serverThat((socket) => void socket.resume())}/`,
    kind: 'not_sent',
  },
  {
    phase: 'the headers',
    url: async () => `http://127.0.0.1:${await serverThat((socket) => void socket.resume())}/`,
    kind: 'no_answer',
  },
  {
    phase: 'a body that drips',
    url: async () => `http://127.0.0.1:${await serverThat(drip)}/`,
    kind: 'no_answer',
  },
];

const GET = { method: 'GET', headers: {}, body: null, bodyEncoding: 'utf8' } as const;
const LIMIT = { bytesMax: 2_000_000, larger: 'no_answer' } as const;

/** Fails by itself: a promise that never settles would be reported only as a test time-out. */
function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout;
  const lost = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the deadline was lost')), LOST_AFTER_MS);
  });
  return Promise.race([work, lost]).finally(() => clearTimeout(timer));
}

describe('a deadline fires while garbage is collected', () => {
  test.each(PHASES)('in $phase', async ({ url, options = {}, kind }) => {
    const request = { ...GET, url: await url() };
    const sent = await inTime(
      sendRequest({ egressAllow, ...options }, request, LIMIT, {
        timeoutMs: TIMEOUT_MS,
        signal: new AbortController().signal,
      }),
    );
    expect(sent).toMatchObject({ kind, reason: expect.stringContaining('the time-out was reached') as string });
  });

  test('for a hundred calls that hang at once', async () => {
    let reached = 0;
    const port = await serverThat((socket) => void socket.once('data', () => reached++));
    const request = { ...GET, url: `http://127.0.0.1:${port}/` };
    const counts = { no_answer: 0, not_sent: 0 };
    for (const timeoutMs of CROWD_TIMEOUTS_MS) {
      const options = { timeoutMs, signal: new AbortController().signal };
      const hang = () => sendRequest({ egressAllow }, request, LIMIT, options);
      for (const each of await inTime(Promise.all(Array.from({ length: 100 }, hang)))) {
        if (each.kind !== 'no_answer' && each.kind !== 'not_sent') throw new Error(`one is ${each.kind}`);
        expect(each.reason).toContain('the time-out was reached');
        counts[each.kind]++;
      }
      if (reached > 0) break;
    }
    // On a busy machine the deadline may come before a connection stands. What reached the target never counts as not sent.
    expect(reached).toBeGreaterThan(0);
    expect(counts.no_answer).toBeGreaterThanOrEqual(reached);
  });

  test('for the fetch of a description', async () => {
    const port = await serverThat((socket) => void socket.resume());
    const fetchDocument = createDocumentFetcher({ egressAllow, watchdog: WATCHDOG, timeoutMs: TIMEOUT_MS });
    expect(await inTime(fetchDocument(`http://127.0.0.1:${port}/`, 'workspace'))).toEqual({
      kind: 'refused',
      message: 'was not fetched: the time-out was reached',
    });
  });
});
