import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, expect, test } from 'vitest';
import { STRANGERS_AN_ADDRESS_MAX } from '../../../api/http/every-request.ts';
import { uuidv7 } from 'uuidv7';
import { startFakeSlack } from '../../harness/providers/fake-slack.ts';
import { startTestApi } from '../harness/test-api.ts';

/** An unauthenticated sender that stalls its body occupies little of the process, and blocks no other caller. */
const slack = await startFakeSlack();
const api = await startTestApi({ chats: { slackBaseUrl: slack.baseUrl } });
const { key } = await api.createKey(api.database.tenant);
const { botToken, signingSecret } = slack;
const reply = await api.call('POST', '/api/v2/integrations/slack', { key, body: { botToken, signingSecret } });
const integrationId = (reply.json as { data: { id: string } }).data.id;
afterAll(async () => {
  await slack.close();
});

const sockets: Socket[] = [];
afterEach(() => sockets.splice(0).forEach((socket) => socket.destroy()));

interface Stalled {
  socket: Socket;
  /** What the service says before it closes the connection. */
  reply: Promise<string>;
}

/** Sends the headers and a part of the body, and stalls. */
async function stall(id: string, bytes: number): Promise<Stalled> {
  const { hostname, port } = new URL(api.baseUrl);
  const socket = connect(Number(port), hostname);
  sockets.push(socket);
  let received = '';
  socket.setEncoding('utf8').on('data', (text: string) => (received += text));
  socket.on('error', () => undefined);
  const reply = once(socket, 'close').then(() => received);
  await once(socket, 'connect');
  const head = [
    `POST /api/v2/integrations/slack/${id}/interactions HTTP/1.1`,
    `Host: ${hostname}`,
    `Content-Length: ${bytes}`,
    `X-Slack-Request-Timestamp: ${Math.floor(Date.now() / 1_000)}`,
    'X-Slack-Signature: v0=00',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\npayload=`);
  return { socket, reply };
}

test('an integration that is not there is refused before its body', async () => {
  const { reply } = await stall(uuidv7(), 500_000);
  expect(await reply).toContain(' 401 ');
});

test('a body of more than 64 KiB is refused', async () => {
  const { socket } = await stall(integrationId, 65_537);
  expect(String(await once(socket, 'data'))).toContain(' 413 ');
});

test('one address stalls 200 of them, and its other requests are served', async () => {
  const stalled = await Promise.all(
    Array.from({ length: STRANGERS_AN_ADDRESS_MAX + 50 }, () => stall(integrationId, 60_000)),
  );
  let refused = 0;
  for (const { reply } of stalled) void reply.then((text) => (refused += text.includes(' 503 ') ? 1 : 0));
  await expect.poll(() => refused).toBe(50);
  expect((await api.call('GET', '/healthz')).status).toBe(200);
  expect((await api.call('GET', '/api/v2/runs', { key })).status).toBe(200);
  const click = (): Promise<{ status: number }> =>
    api.call('POST', `/api/v2/integrations/slack/${integrationId}/interactions`, { raw: '' });
  expect((await click()).status).toBe(503);
  for (const { socket } of stalled) socket.destroy();
  await expect.poll(async () => (await click()).status).toBe(401);
});
