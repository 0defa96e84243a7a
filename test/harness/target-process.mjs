#!/usr/bin/env node
/**
 * A stateful target that misbehaves on demand, in its own process, so that its counts survive the death of a worker.
 * `node test/harness/target-process.mjs [--tls] [--port=n]` prints one line of JSON, `{"port": n, "controlPort": n}`, and serves until it is
 * killed or its standard input ends. Each path is described beside its handler; `target.ts` starts it in a test.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { gzipSync } from 'node:zlib';

const BODY_BYTES_MAX = 16 * 1024 * 1024;
const requests = [];
const orders = new Map();
const waiting = new Set();
let connections = 0;

/** @param {http.ServerResponse} response */
function sendJson(response, status, value, headers = {}) {
  const body = JSON.stringify(value);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...headers,
  });
  response.end(body);
}

const number = (url, name, otherwise) => Number(url.searchParams.get(name) ?? otherwise);

/** Faulty answers, chosen by `?answer=` of /orders or by the path itself. */
const ANSWERS = {
  /** Holds the request open until `POST /__release`, which answers it with 200. */
  hang: ({ response }) => {
    waiting.add(response);
    response.on('close', () => waiting.delete(response));
  },
  reset: ({ request }) => request.socket.resetAndDestroy(),
  /** Closes the connection without a reply. */
  close: ({ request }) => request.socket.destroy(),
  'reset-mid-response': ({ request, response }) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1000 });
    response.write('{"half":', () => request.socket.resetAndDestroy());
  },
  truncated: ({ request, response }) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1000 });
    response.write('{"half":true}', () => request.socket.end());
  },
  redirect: ({ response, url }) =>
    sendJson(response, number(url, 'status', 302), {}, { location: url.searchParams.get('to') ?? '/ok' }),
  /** `?bytes=` of text; without a length where `?chunked=1`. */
  oversize: ({ response, url }) => {
    const bytes = number(url, 'bytes', 2_000_000);
    const length = url.searchParams.has('chunked') ? {} : { 'content-length': bytes };
    response.writeHead(200, { 'content-type': 'text/plain', ...length });
    response.end('x'.repeat(bytes));
  },
  /** Headers at once, then a byte each `?everyMs=`. */
  'slow-body': ({ response, url }) => {
    response.writeHead(200, { 'content-type': 'text/plain' });
    const drip = setInterval(() => response.write('.'), number(url, 'everyMs', 50));
    response.on('close', () => clearInterval(drip));
  },
  malformed: ({ response, url }) => {
    response.writeHead(number(url, 'status', 200), { 'content-type': 'application/json' });
    response.end('{"broken": ');
  },
  gzip: ({ response, request }) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
    response.end(gzipSync(JSON.stringify({ authorization: request.headers.authorization ?? null })));
  },
  garbage: ({ request }) => request.socket.end('this is not HTTP\r\n\r\n'),
};

const PATHS = {
  '/ok': ({ response }) => sendJson(response, 200, { ok: true }),
  /** Answers 503 to the first request of its URL, and 200 to each later one. */
  '/flaky': ({ request, response }) => {
    const isFirst = requests.filter(({ url }) => url === request.url).length === 1;
    sendJson(response, isFirst ? 503 : 200, { isFirst });
  },
  '/empty': ({ response, url }) => response.writeHead(number(url, 'status', 204)).end(),
  /** Answers `?status=` with JSON. */
  '/status': ({ response, url }) =>
    sendJson(response, number(url, 'status', 200), { status: number(url, 'status', 200) }),
  /** Echoes the whole request as JSON, with its headers as written. */
  '/echo': ({ request, response, url, body }) =>
    sendJson(response, number(url, 'status', 200), {
      method: request.method,
      url: request.url,
      headers: request.headers,
      rawHeaders: request.rawHeaders,
      body: body.toString('utf8'),
    }),
  /** `?characters=` of JSON text. */
  '/long': ({ response, url }) => sendJson(response, 200, { text: 'x'.repeat(number(url, 'characters', 1)) }),
  /** Echoes the authorization header in body and header, encoded as `?as=` says. */
  '/echo-secret': ({ request, response, url }) => echoSecret(request, response, url.searchParams.get('as') ?? 'text'),
  /** `?type=` and `?base64=` of the body, for replies that no other path gives. */
  '/raw': ({ response, url }) => {
    const headers = Object.fromEntries(url.searchParams.getAll('header').map((text) => text.split(': ', 2)));
    response.writeHead(number(url, 'status', 200), {
      'content-type': url.searchParams.get('type') ?? 'text/plain',
      ...headers,
    });
    response.end(Buffer.from(url.searchParams.get('base64') ?? '', 'base64'));
  },
};

function echoSecret(request, response, as) {
  const secret = (request.headers.authorization ?? '').replace(/^Bearer /, '');
  const encodings = {
    text: secret,
    json: JSON.stringify(JSON.stringify(secret)),
    unicode: Array.from(secret, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
    percent: encodeURIComponent(secret),
    form: new URLSearchParams({ secret }).toString(),
    hex: Buffer.from(secret).toString('hex'),
    base64: Buffer.from(secret).toString('base64'),
    'base64-1': Buffer.from(`u${secret}z`).toString('base64'),
    'base64-2': Buffer.from(`me${secret}`).toString('base64'),
    'base64-user': Buffer.from(`user:${secret}`).toString('base64url'),
    html: secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;'),
    utf16: null,
  };
  if (as === 'utf16') {
    response.writeHead(200, { 'content-type': 'application/octet-stream' });
    response.end(Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(secret, 'utf16le')]));
    return;
  }
  response.writeHead(200, {
    'content-type': 'text/plain',
    'x-echo': encodeURI(encodings[as]),
    'set-cookie': `s=${secret}`,
  });
  response.end(`before ${encodings[as]} after`);
}

/**
 * POST /orders creates one (its id is the JSON body's `id`, else the idempotency-key header) and only then answers, as
 * `?answer=` says: created (default), a status such as 500, or one of ANSWERS. The same id twice is counted in `copies`.
 * `?visibleAfterMs=` hides it from GET /orders/{id} for that time, `?state=` is the state it will show. GET of another id: 404.
 */
function serveOrders({ request, response, url, body, ...rest }) {
  const id = url.pathname.slice('/orders/'.length);
  if (request.method === 'POST') return createOrder({ request, response, url, body, ...rest });
  const order = orders.get(decodeURIComponent(id));
  if (order === undefined || Date.now() < order.visibleAt) return sendJson(response, 404, { error: 'no such order' });
  if (request.method === 'DELETE') orders.delete(order.id);
  return sendJson(response, 200, order);
}

function createOrder(context) {
  const { request, response, url, body } = context;
  const text = body.toString('utf8');
  const fields = request.headers['content-type']?.includes('json') && text !== '' ? JSON.parse(text) : {};
  const id = String(fields.id ?? request.headers['idempotency-key'] ?? `order-${orders.size + 1}`);
  const copies = (orders.get(id)?.copies ?? 0) + 1;
  const visibleAt = Date.now() + number(url, 'visibleAfterMs', 0);
  orders.set(id, { id, fields, copies, state: url.searchParams.get('state') ?? 'done', visibleAt });
  const answer = url.searchParams.get('answer') ?? '201';
  const misbehave = ANSWERS[answer];
  if (misbehave !== undefined) return misbehave(context);
  return sendJson(response, Number(answer), { id, copies });
}

/** Control requests from a test; not counted. */
function serveControl({ request, response, url }) {
  if (url.pathname === '/__requests' && request.method === 'GET')
    return sendJson(response, 200, { requests, connections });
  if (url.pathname === '/__requests') {
    requests.length = 0;
    connections = 0;
    orders.clear();
    return response.writeHead(204).end();
  }
  if (url.pathname === '/__release') {
    for (const held of waiting) sendJson(held, 200, { released: true });
    return sendJson(response, 200, { released: waiting.size });
  }
  return sendJson(response, 404, { error: 'no such control path' });
}

async function serve(request, response) {
  const url = new URL(request.url ?? '/', 'http://target.test');
  if (url.pathname.startsWith('/__')) return serveControl({ request, response, url });
  // Counted as soon as its headers are in, so that a request is seen even if its sender dies in the middle of the body.
  const seen = {
    method: request.method,
    path: url.pathname,
    url: request.url,
    headers: request.headers,
    body: null,
    bodySha256: null,
  };
  requests.push(seen);
  const chunks = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) return response.writeHead(413).end();
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks);
  seen.body = body.toString('utf8');
  seen.bodySha256 = createHash('sha256').update(body).digest('hex');
  const context = { request, response, url, body };
  if (url.pathname === '/orders' || url.pathname.startsWith('/orders/')) return serveOrders(context);
  const handler = PATHS[url.pathname] ?? ANSWERS[url.pathname.slice(1)];
  return handler === undefined ? sendJson(response, 404, { error: 'no such path' }) : handler(context);
}

const isTls = process.argv.includes('--tls');
const port = Number(process.argv.find((argument) => argument.startsWith('--port='))?.slice('--port='.length) ?? 0);
const pem = (name) => readFileSync(new URL(name, import.meta.url));
const handle = (request, response) => {
  serve(request, response).catch((error) => {
    // Some tests kill the sender while it writes its body. Any other error is a fault of the target.
    if (error?.code !== 'ECONNRESET') process.stderr.write(`${error?.stack ?? error}\n`);
    response.destroy();
  });
};
const server = isTls
  ? https.createServer({ key: pem('self-signed-key.pem'), cert: pem('self-signed-certificate.pem') }, handle)
  : http.createServer(handle);
server.on('connection', () => connections++);
// With TLS, a second, plain port answers the control requests.
const control = isTls ? http.createServer(handle) : server;
const listening = (listener, wanted) =>
  new Promise((resolve, reject) =>
    listener.once('error', reject).listen(wanted, '127.0.0.1', () => resolve(listener.address().port)),
  );
const mainPort = await listening(server, port);
const controlPort = isTls ? await listening(control, 0) : mainPort;
process.stdout.write(`${JSON.stringify({ port: mainPort, controlPort })}\n`);
process.stdin.on('end', () => process.exit(0)).resume();
