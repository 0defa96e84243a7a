import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { createChatClient } from '../../../../activities/adapters/chat/chat-client.ts';
import { parseEgressAllow } from '../../../../domain/egress.ts';
import { WATCHDOG } from '../../../harness/watchdog.ts';

let retryAfter = '';
const server = createServer((_request, response) => response.writeHead(429, { 'Retry-After': retryAfter }).end('{}'));
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const egressAllow = parseEgressAllow('127.0.0.0/8');
const chat = createChatClient({ egressAllow, watchdog: WATCHDOG, slackBaseUrl: url, discordBaseUrl: url });
afterAll(() => new Promise((resolve) => server.close(resolve)));

const CALL = { workspaceId: 'wsp', integrationId: 'int_1', timeoutMs: 5_000 };

/** More than the longest wait, so that a slow machine sees the same. */
const inTwoHours = (): Date => new Date(Date.now() + 7_200_000);

test.each<[string, () => string, number | null]>([
  ['seconds', () => '30', 30],
  ['a fraction of seconds', () => '0.5', 0.5],
  ['more than an hour', () => '86400', 3_600],
  ['an IMF-fixdate', () => inTwoHours().toUTCString(), 3_600],
  ['a date that has passed', () => 'Sunday, 06-Nov-94 08:49:37 GMT', null],
  ['a date of asctime', () => 'Sun Nov  6 08:49:37 2050', 3_600],
  ['a date of RFC 850', () => `Friday, 31-Dec-50 08:49:37 GMT`, 3_600],
  ['what is no date', () => 'soon', null],
])('Slack and Discord are asked again after %s', async (_what, header, seconds) => {
  retryAfter = header();
  const replies = [
    await chat.slack(CALL, 'xoxb-test', 'chat.postMessage', { text: 'x' }),
    await chat.discord(CALL, { id: '1', webhookToken: 'token' }, { content: 'x' }),
  ];
  const again = { kind: 'again', afterSeconds: seconds };
  expect(replies).toMatchObject([again, again]);
});
