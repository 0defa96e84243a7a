// The demo's target: a small HTTP service, in a process of its own, that requires a credential and records what it did.
// Arguments: --port=<n> --journal=<file> --credential=<file>. Plain JavaScript, so that it needs no build and little memory.
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';

const BODY_BYTES_MAX = 100_000;
const REMEMBERED_MAX = 1_000;

const text = { type: 'string' };
const { values } = parseArgs({ options: { port: text, journal: text, credential: text } });
const credential = readFileSync(values.credential, 'utf8').trim();

const lines = existsSync(values.journal) ? readFileSync(values.journal, 'utf8').split('\n').filter(Boolean) : [];
const echoes = new Map(
  lines
    .slice(-REMEMBERED_MAX)
    .map((line) => JSON.parse(line))
    .map((echo) => [echo.key, echo]),
);
writeFileSync(values.journal, [...echoes.values()].map((echo) => `${JSON.stringify(echo)}\n`).join(''), {
  mode: 0o600,
});

function reply(response, status, body) {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

async function readJson(request) {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) {
    body += chunk;
    if (body.length > BODY_BYTES_MAX) throw new Error('the body is too large');
  }
  return JSON.parse(body === '' ? 'null' : body);
}

/** A repeated key returns the same echo: the target is idempotent. */
async function handle(request, response) {
  if (request.url === '/healthz') return reply(response, 200, { status: 'up' });
  if (request.headers['x-demo-credential'] !== credential) return reply(response, 401, { error: 'wrong credential' });
  const { pathname } = new URL(request.url, 'http://demo');
  if (request.method === 'POST' && pathname === '/echoes') {
    const key = request.headers['idempotency-key'] ?? randomUUID();
    const received = await readJson(request);
    if (!echoes.has(key)) {
      const echo = { key, id: randomUUID(), state: 'done', received };
      appendFileSync(values.journal, `${JSON.stringify(echo)}\n`);
      echoes.set(key, echo);
    }
    return reply(response, 200, echoes.get(key));
  }
  if (request.method === 'GET' && pathname.startsWith('/echoes/')) {
    const echo = echoes.get(decodeURIComponent(pathname.slice('/echoes/'.length)));
    return echo === undefined ? reply(response, 404, { error: 'no such echo' }) : reply(response, 200, echo);
  }
  return reply(response, 404, { error: 'nothing here' });
}

createServer((request, response) => {
  handle(request, response).catch((error) => reply(response, 400, { error: error.message }));
}).listen(Number(values.port), '127.0.0.1');

for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => process.exit(0));
