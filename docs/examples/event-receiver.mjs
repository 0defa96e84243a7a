// Receives events and checks who sent them: node event-receiver.mjs
// What it needs in the environment: SECRETS_FILE, a file with one signing secret a line, read for each delivery; ENVIRONMENT_ID, the
// environment that it expects; RECEIVER_PORT, or it takes a free one. While the file DOWN_FILE exists it answers
// the status in it, or 503.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { pathToFileURL } from 'node:url';

const SIGNATURE_AGE_SECONDS_MAX = 300;
const BODY_BYTES_MAX = 1_000_000;

/**
 * Whether one of these secrets signed the delivery for this environment, and not long ago. Only `v2` says which environment sent it, so
 * `v1` is not looked at.
 */
export function isSigned({ secrets, environmentId, headers, body, nowSeconds }) {
  const timestamp = headers['webhook-timestamp'] ?? '';
  if (!/^\d{1,12}$/.test(timestamp)) return false;
  if (Math.abs(nowSeconds - Number(timestamp)) > SIGNATURE_AGE_SECONDS_MAX) return false;
  const given = String(headers['webhook-signature'] ?? '')
    .split(' ')
    .map((one) => Buffer.from(one));
  return secrets.some((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    const text = `service-delivery-v2.${timestamp}.${environmentId}.${body}`;
    const expected = Buffer.from(`v2,${createHmac('sha256', key).update(text).digest('base64')}`);
    return given.some((one) => one.length === expected.length && timingSafeEqual(one, expected));
  });
}

function start({ SECRETS_FILE, DOWN_FILE, ENVIRONMENT_ID, RECEIVER_PORT = '0' }) {
  const seen = new Set();
  const receive = (headers, body) => {
    if (DOWN_FILE !== undefined && existsSync(DOWN_FILE)) return Number(readFileSync(DOWN_FILE, 'utf8')) || 503;
    const secrets = readFileSync(SECRETS_FILE, 'utf8').split('\n').filter(Boolean);
    const nowSeconds = Date.now() / 1_000;
    if (!isSigned({ secrets, environmentId: ENVIRONMENT_ID, headers, body, nowSeconds })) return 401;
    // A delivery comes at least once: the id is the same each time. A real receiver keeps the ids with its work.
    const { id, type, data } = JSON.parse(body);
    if (!seen.has(id)) process.stdout.write(`${JSON.stringify({ id, type, data })}\n`);
    seen.add(id);
    return 204;
  };
  const server = createServer((request, response) => {
    const chunks = [];
    let bytes = 0;
    request.on('data', (chunk) => {
      bytes += chunk.length;
      if (bytes > BODY_BYTES_MAX) request.destroy();
      else chunks.push(chunk);
    });
    request.on('end', () => response.writeHead(receive(request.headers, Buffer.concat(chunks).toString('utf8'))).end());
  });
  server.listen(Number(RECEIVER_PORT), '127.0.0.1', () =>
    process.stdout.write(`http://127.0.0.1:${server.address().port}/hook\n`),
  );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) start(process.env);
