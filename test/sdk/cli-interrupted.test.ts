import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, it } from 'vitest';
import { EXIT, InterruptedError } from '../../sdk/cli/src/exit.ts';
import { runProgram } from '../../sdk/cli/src/program.ts';

/** Ctrl-C while the service says nothing: what the command line knows then. */

/** `TRIES_MAX` of the SDK (sdk/typescript/src/transport.ts). */
const TRIES_OF_ONE_REQUEST = 3;

const PENDING = { id: 'apr_1', status: 'pending' };
const PARKED = { id: 'inv_1', status: 'pending_approval', grade: 'pending', approvalId: 'apr_1' };

/** What is to be answered to a method; anything else is left without an answer. */
let answers: Partial<Record<string, object>> = {};
/** What is answered to everything, where it is set. */
let failing: { status: number; body: object } | null = null;
let arrived: (request: IncomingMessage) => void = () => undefined;

const server = createServer((request, response) => {
  if (failing !== null) {
    request.resume();
    return response.writeHead(failing.status, { 'Content-Type': 'application/json' }).end(JSON.stringify(failing.body));
  }
  const data = answers[request.method ?? ''];
  if (data === undefined) return arrived(request);
  response.setHeader('Content-Type', 'application/json').end(JSON.stringify({ success: true, data }));
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** Runs a command until its first unanswered request, and interrupts it there. */
async function interrupted(given: typeof answers, ...argv: string[]) {
  answers = given;
  const interrupt = new AbortController();
  const request = new Promise<IncomingMessage>((resolve) => {
    arrived = (incoming) => {
      resolve(incoming);
      interrupt.abort(new InterruptedError());
    };
  });
  const { code, said } = await runUntil(interrupt.signal, { BASE_URL: baseUrl }, ...argv);
  return { code, said, key: (await request).headers['idempotency-key'] };
}

const SILENT = {
  print: () => undefined,
  printError: () => undefined,
  readInput: () => Promise.resolve(''),
  ask: null,
  askSecretly: null,
};

async function runUntil(signal: AbortSignal, env: Record<string, string>, ...argv: string[]) {
  const errors: string[] = [];
  const code = await runProgram([...argv, '--json'], {
    ...SILENT,
    printError: (text: string) => void errors.push(text),
    env: { ...env, API_KEY: 'service_live_key' },
    signal,
  });
  const said =
    errors.length === 0 ? {} : (JSON.parse(errors.join('\n')) as { nextStep?: string; error?: { message: string } });
  return { code, said };
}

const run = (env: Record<string, string>, ...argv: string[]) => runUntil(new AbortController().signal, env, ...argv);

it('before the reply of an invocation it names the key that finds out what became of it', async () => {
  const { code, said, key } = await interrupted({}, 'invoke', 'demo.echo');
  expect(key).toMatch(/^[0-9a-f]{32}$/);
  expect([code, said.nextStep]).toEqual([EXIT.noReply, expect.stringContaining(`--idempotency-key ${key}`)]);
});

it('while an invocation waits it says that it was admitted, and which', async () => {
  const { code, said } = await interrupted({ POST: PARKED }, 'invoke', 'demo.echo');
  expect([code, said.nextStep]).toEqual([EXIT.waiting, 'agent-actions logs --invocation inv_1']);
});

it.each([
  ['a wait of logs can be begun again', ['logs', '--invocation', 'inv_1', '--wait', '60'], EXIT.waiting],
  ['a watch is over', ['approvals', 'watch'], EXIT.ok],
])('%s', async (_name, argv, expected) => {
  expect((await interrupted({}, ...argv)).code).toBe(expected);
});

const failed = (code: string): object => ({ success: false, error: { code, message: 'Later.' }, requestId: 'req_1' });

it.each([
  ['the 502 of a proxy', { status: 502, body: {} }],
  ['503', { status: 503, body: failed('SERVICE_UNAVAILABLE') }],
  ['500', { status: 500, body: failed('INTERNAL_ERROR') }],
  ['a request that is still in progress', { status: 409, body: failed('idempotency_request_in_progress') }],
])('after %s an invocation may have been admitted, and the key is named', async (_name, reply) => {
  const { code, said } = await answered(reply, 'invoke', 'demo.echo', '--idempotency-key', 'mine-1');
  expect([code, said.nextStep]).toEqual([EXIT.noReply, expect.stringContaining('--idempotency-key mine-1')]);
});

it('names no key after a refusal, nor for a command that takes none', async () => {
  const refusal = { status: 503, body: failed('EXPENSIVE_WORK_PAUSED') };
  const refused = await answered(refusal, 'invoke', 'demo.echo');
  expect([refused.code, refused.said.nextStep]).toEqual([EXIT.notOk, null]);
  const away = { BASE_URL: 'http://127.0.0.1:9' };
  const denied = await run(away, 'approvals', 'deny', 'apr_1', '--note', 'no');
  expect([denied.code, denied.said.nextStep]).toEqual([EXIT.noReply, expect.not.stringContaining('--idempotency-key')]);
});

/** Runs a command of which every request is answered so. */
async function answered(reply: NonNullable<typeof failing>, ...argv: string[]) {
  failing = reply;
  try {
    return await run({ BASE_URL: baseUrl }, ...argv);
  } finally {
    failing = null;
  }
}

it('Ctrl-C ends the pause before another try', async () => {
  const busy = createServer((_request, response) => {
    response.writeHead(503, { 'Content-Type': 'application/json', 'Retry-After': '10' });
    response.end(JSON.stringify(failed('SERVICE_UNAVAILABLE')), () =>
      setTimeout(() => interrupt.abort(new InterruptedError()), 100),
    );
  });
  busy.listen(0, '127.0.0.1');
  await once(busy, 'listening');
  const interrupt = new AbortController();
  const began = performance.now();
  const address = `http://127.0.0.1:${(busy.address() as AddressInfo).port}`;
  const { code } = await runUntil(interrupt.signal, { BASE_URL: address }, 'invoke', 'demo.echo');
  expect([code, performance.now() - began < 5_000]).toEqual([EXIT.noReply, true]);
  busy.close();
});

it('an input that JavaScript would round is refused, and not sent as another one', async () => {
  for (const input of ['{"wei":1234567890123456789012}', '{"order":9007199254740993}', '{"amount":1e999}']) {
    const { code, said } = await answered({ status: 500, body: {} }, 'invoke', 'demo.echo', '--input', input);
    expect([code, said.error?.message]).toEqual([EXIT.usage, expect.stringContaining('would be rounded')]);
  }
  const exact = '{"order":9007199254740991,"text":"9007199254740993 \\"1e999","rate":0.1}';
  expect((await answered({ status: 500, body: {} }, 'invoke', 'demo.echo', '--input', exact)).code).toBe(EXIT.noReply);
});

it.each([
  ['an option that is not there', ['approvals', 'watch', '--sometimes']],
  ['an idempotency key that no header can carry', ['invoke', 'demo.echo', '--idempotency-key', '']],
  ['an id that is a step of a path', ['approvals', 'deny', '..', '--note', 'no']],
])('for a program %s is JSON and nothing else', async (_name, argv) => {
  const { code, said } = await run({ BASE_URL: baseUrl }, ...argv);
  expect([code, said]).toEqual([EXIT.usage, expect.objectContaining({ exitCode: EXIT.usage })]);
});

it('a watch goes on past an outage', async () => {
  let refused = 0;
  let isAway = true;
  const service = createServer((request, response) => {
    if (isAway) return response.writeHead(502).end(() => refused++);
    const isList = request.url?.startsWith('/api/v2/approvals?') === true;
    const reply = isList ? { data: [PENDING], pagination: { hasMore: false } } : { data: PENDING };
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify({ success: true, ...reply }));
  });
  service.listen(0, '127.0.0.1');
  await once(service, 'listening');
  const stop = new AbortController();
  const shown: string[] = [];
  const watching = runProgram(['approvals', 'watch', '--json'], {
    ...SILENT,
    print: (line) => {
      shown.push(line);
      stop.abort(new InterruptedError());
    },
    env: { BASE_URL: `http://127.0.0.1:${(service.address() as AddressInfo).port}`, API_KEY: 'service_live_key' },
    signal: stop.signal,
  });
  // The tries of one look are over, and the next look has begun.
  await expect.poll(() => refused).toBeGreaterThan(TRIES_OF_ONE_REQUEST);
  isAway = false;
  expect([await watching, shown]).toEqual([EXIT.ok, [JSON.stringify(PENDING)]]);
  service.closeAllConnections();
  await new Promise((resolve) => service.close(resolve));
});
