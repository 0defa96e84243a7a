import { afterAll, expect, test } from 'vitest';
import { type AskForPage, readChannels } from '../../../api/integrations/read-channels.ts';
import type { ChatReply } from '../../../domain/integrations/chat-client.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { startProvider } from '../../harness/providers/provider-server.ts';
import { startTestApi } from '../harness/test-api.ts';

/** A Slack with so many channels that a page of a thousand is larger than 2 MiB. */
const CHANNELS = 2_500;
const PURPOSE = 'p'.repeat(2_500);

const slack = await startProvider(
  {
    handle({ path, body }) {
      if (path.endsWith('auth.test')) return { status: 200, body: { ok: true, team: 'Acme', team_id: 'T0ACME' } };
      const form = new URLSearchParams(body);
      return { status: 200, body: pageOf(Number(form.get('cursor') ?? 0), Number(form.get('limit'))) };
    },
    refusal: (status) => ({ status, body: {} }),
  },
  (fault): fault is never => fault === '',
);
const api = await startTestApi({ chats: { slackBaseUrl: slack.baseUrl } });
afterAll(async () => {
  await slack?.close();
});

function pageOf(from: number, limit: number): JsonObject {
  const to = Math.min(from + limit, CHANNELS);
  const channels = Array.from({ length: to - from }, (_, index) => ({
    id: `C0${from + index}`,
    name: `channel-${from + index}`,
    is_private: false,
    is_member: true,
    purpose: { value: PURPOSE },
  }));
  return { ok: true, channels, response_metadata: { next_cursor: to < CHANNELS ? String(to) : '' } };
}

test('thousands of channels with long descriptions are listed, each once', async () => {
  const { key } = await api.createKey(api.database.tenant);
  const connected = await api.call('POST', '/api/v2/integrations/slack', {
    key,
    body: { botToken: 'xoxb-fake-fake-fake-fake' },
  });
  expect(connected.status, connected.text).toBe(201);
  const { id } = (connected.json as { data: { id: string } }).data;
  const reply = await api.call('GET', `/api/v2/integrations/slack/${id}/channels`, { key });
  expect(reply.status, reply.text.slice(0, 300)).toBe(200);
  const { channels, truncated } = (reply.json as { data: { channels: { id: string }[]; truncated: boolean } }).data;
  expect(channels.map((channel) => channel.id)).toEqual(Array.from({ length: CHANNELS }, (_, index) => `C0${index}`));
  expect(truncated).toBe(false);
});

/** A clock that only advances with each page, by this long. */
function slowPages(
  pageMs: number,
  replies: ChatReply[] = [],
): { ask: AskForPage; nowMs: () => number; given: number[] } {
  let now = 0;
  const given: number[] = [];
  const page = (): ChatReply => ({ kind: 'done', data: pageOf((given.length - 1) * 200, 200) });
  const ask: AskForPage = (_body, timeoutMs) => {
    given.push(timeoutMs);
    now += pageMs;
    return Promise.resolve(replies.shift() ?? page());
  };
  return { ask, nowMs: () => now, given };
}

test('all pages share one deadline: what was read until then is the answer, and says that there are more', async () => {
  const { ask, nowMs, given } = slowPages(6_000);
  const { channels, truncated } = await readChannels(ask, nowMs);
  expect(given).toEqual([20_000, 14_000, 8_000, 2_000]);
  expect(channels).toHaveLength(800);
  expect(truncated).toBe(true);
});

test('where Slack asks to come back, the pages before are the answer; without any it is a 503', async () => {
  const again: ChatReply = { kind: 'again', reason: 'ratelimited', afterSeconds: 30 };
  const first: ChatReply = { kind: 'done', data: pageOf(0, 200) };
  const later = slowPages(0, [first, again]);
  const { channels, truncated } = await readChannels(later.ask, later.nowMs);
  expect([channels.length, truncated]).toEqual([200, true]);
  const never = slowPages(0, [again]);
  await expect(readChannels(never.ask, never.nowMs)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
});

test('no more than 3,000 channels are read, and a token that is refused on the way is told', async () => {
  const endless: ChatReply = { kind: 'done', data: pageOf(0, 200) };
  const many = slowPages(
    0,
    Array.from({ length: 100 }, () => endless),
  );
  const { channels, truncated } = await readChannels(many.ask, many.nowMs);
  expect([channels.length, truncated]).toEqual([3_000, true]);
  const refused = slowPages(0, [endless, { kind: 'refused', reason: 'token_revoked' }]);
  await expect(readChannels(refused.ask, refused.nowMs)).rejects.toMatchObject({ code: 'CONFLICT' });
});
