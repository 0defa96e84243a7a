import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EXIT, InterruptedError } from '../../sdk/cli/src/exit.ts';
import { runProgram } from '../../sdk/cli/src/program.ts';

/** Ctrl-C while the service says nothing: what the command line knows then. */

const PARKED = { id: 'inv_1', status: 'pending_approval', grade: 'pending', approvalId: 'apr_1' };

let server: Server;
let baseUrl: string;
/** What is to be answered to a method; anything else is left without an answer. */
let answers: Partial<Record<string, object>> = {};
let arrived: (request: IncomingMessage) => void = () => undefined;

beforeAll(async () => {
  server = createServer((request, response) => {
    const data = answers[request.method ?? ''];
    if (data === undefined) return arrived(request);
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify({ success: true, data }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
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
  const errors: string[] = [];
  const code = await runProgram([...argv, '--json'], {
    print: () => undefined,
    printError: (text) => void errors.push(text),
    env: { BASE_URL: baseUrl, API_KEY: 'service_live_key' },
    readInput: () => Promise.resolve(''),
    ask: null,
    askSecretly: null,
    signal: interrupt.signal,
  });
  const said = errors.length === 0 ? {} : (JSON.parse(errors.join('\n')) as { nextStep?: string });
  return { code, said, key: (await request).headers['idempotency-key'] };
}

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
