import { createServer, type ServerResponse } from 'node:http';
import { announceReady } from '../invoke/child.ts';

/**
 * What all sides call. It answers at once, with an id of its own for each call, but never answers the first call of a
 * message that begins with `hold`: those are for the kills. Its one argument is the secret; a call without the secret
 * or without an Idempotency-Key gets 400.
 *
 * `GET /count`: the calls that were right. `GET /times?message=`: those of one message. `GET /held?message=`: answers
 * once one is held.
 */
const [secret = ''] = process.argv.slice(2);
let count = 0;
const times = new Map<string, number>();
const waiting = new Map<string, ServerResponse[]>();

const server = createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://target');
  const message = url.searchParams.get('message') ?? '';
  if (url.pathname === '/count') return reply(response, { count });
  if (url.pathname === '/times') return reply(response, { count: times.get(message) ?? 0 });
  if (url.pathname === '/held') {
    if (times.has(message)) return reply(response, {});
    waiting.set(message, [...(waiting.get(message) ?? []), response]);
    return;
  }
  let text = '';
  request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  request.once('end', () => {
    const { authorization, 'idempotency-key': key } = request.headers;
    if (authorization !== `Bearer ${secret}` || key === undefined) return response.writeHead(400).end();
    count += 1;
    if (!isFirstHeld((JSON.parse(text) as { message: string }).message)) {
      reply(response, { id: `order-${count}`, state: 'done' });
    }
  });
});

function isFirstHeld(message: string): boolean {
  if (!message.startsWith('hold')) return false;
  const before = times.get(message) ?? 0;
  times.set(message, before + 1);
  for (const one of waiting.get(message) ?? []) reply(one, {});
  waiting.delete(message);
  return before === 0;
}

function reply(response: ServerResponse, body: unknown): void {
  const text = JSON.stringify(body);
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }).end(text);
}

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  announceReady({ port: typeof address === 'object' && address !== null ? address.port : 0 });
});
