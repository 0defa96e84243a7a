import { createHmac } from 'node:crypto';
import type { Json, JsonObject } from '../../../domain/json.ts';
import { startProvider, type ProviderReply, type ProviderServer } from './provider-server.ts';

/**
 * A Slack workspace with an app: `auth.test`, `conversations.list`, `conversations.info`, `chat.postMessage` and the `response_url` of a
 * click. It takes forms, as every method of Slack's does. A refusal is a 200 with `ok: false`.
 *
 * Beside the faults of provider-server.ts, for `failNext`: `revoked`, after which the token is refused.
 */
export interface FakeSlackMessage {
  ts: string;
  channel: string;
  text: string;
  blocks: JsonObject[];
}

export interface FakeSlack extends ProviderServer<'revoked'> {
  botToken: string;
  signingSecret: string;
  teamId: string;
  channels: { id: string; name: string; isPrivate: boolean; isMember: boolean }[];
  messages: FakeSlackMessage[];
  /** What was answered at response URLs, oldest first. */
  answers: JsonObject[];
  /** The form that Slack sends for a click on this button of a message, and its headers, signed now. */
  click(message: FakeSlackMessage, actionId: string, user: { id: string; username: string }): SignedClick;
}

export interface SignedClick {
  body: string;
  headers: Record<string, string>;
}

export function signSlack(secret: string, body: string, timestampSeconds: number): Record<string, string> {
  const digest = createHmac('sha256', secret).update(`v0:${timestampSeconds}:${body}`).digest('hex');
  return {
    'Content-Type': 'application/x-www-form-urlencoded',
    'X-Slack-Request-Timestamp': String(timestampSeconds),
    'X-Slack-Signature': `v0=${digest}`,
  };
}

const BLOCKS_MAX = 50;
const SECTION_CHARACTERS_MAX = 3_000;
/** Slack documents no bound of all blocks together; senders have found it at 12,000 to 13,200 (slackapi/bolt-js issues 2509 and 2867). */
const BLOCKS_JSON_CHARACTERS_MAX = 12_000;

function isTooLong({ text }: JsonObject): boolean {
  const shown = (text as { text?: string } | undefined)?.text ?? '';
  return shown.length > SECTION_CHARACTERS_MAX;
}

export async function startFakeSlack(): Promise<FakeSlack> {
  const [botToken, signingSecret, teamId] = ['xoxb-fake-fake-fake-fake', '8f742231b10e8888abcd99yyyzzz85a5', 'T0ACME'];
  const channels: FakeSlack['channels'] = [
    { id: 'C0APPROVALS', name: 'approvals', isPrivate: false, isMember: true },
    { id: 'C0ELSEWHERE', name: 'elsewhere', isPrivate: false, isMember: false },
    { id: 'G0BOARD', name: 'board', isPrivate: true, isMember: true },
  ];
  const messages: FakeSlackMessage[] = [];
  const answers: JsonObject[] = [];
  let clicks = 0;

  const call = (method: string, form: URLSearchParams): ProviderReply => {
    const channel = channels.find(({ id }) => id === form.get('channel'));
    const shown = (each: (typeof channels)[number]): Json => ({
      id: each.id,
      name: each.name,
      is_private: each.isPrivate,
      is_member: each.isMember,
    });
    switch (method) {
      case 'auth.test':
        return ok({ team: 'Acme', team_id: teamId, user_id: 'U0BOT' });
      case 'conversations.list': {
        // One channel a page, so that a caller has to follow the cursor.
        const at = Number(form.get('cursor') ?? 0);
        const next = at + 1 < channels.length ? String(at + 1) : '';
        return ok({ channels: channels.slice(at, at + 1).map(shown), response_metadata: { next_cursor: next } });
      }
      case 'conversations.info':
        return channel === undefined ? refused('channel_not_found') : ok({ channel: shown(channel) });
      case 'chat.postMessage': {
        if (channel === undefined) return refused('channel_not_found');
        if (!channel.isMember) return refused('not_in_channel');
        const blocks = JSON.parse(form.get('blocks') ?? '[]') as JsonObject[];
        if (blocks.length > BLOCKS_MAX || blocks.some(isTooLong)) return refused('invalid_blocks');
        if (JSON.stringify(blocks).length > BLOCKS_JSON_CHARACTERS_MAX) return refused('msg_blocks_too_long');
        const message = { ts: `${messages.length + 1}.0`, channel: channel.id, text: form.get('text') ?? '', blocks };
        messages.push(message);
        return ok({ ts: message.ts, channel: channel.id });
      }
      default:
        return refused('unknown_method');
    }
  };

  const server = await startProvider<'revoked'>(
    {
      handle(request, fault) {
        if (request.path.startsWith('/actions/')) {
          answers.push(JSON.parse(request.body) as JsonObject);
          return { status: 200, body: 'ok' };
        }
        if (request.headers.authorization !== `Bearer ${botToken}`) return refused('invalid_auth');
        if (fault === 'revoked') return refused('token_revoked');
        return call(request.path.replace(/^\/api\//, ''), new URLSearchParams(request.body));
      },
      refusal: (status) => ({ status, body: 'Slack has a bad day', headers: { 'retry-after': '1' } }),
    },
    (fault): fault is 'revoked' => fault === 'revoked',
  );

  const click: FakeSlack['click'] = (message, actionId, user) => {
    const found = message.blocks
      .flatMap((block) => (Array.isArray(block['elements']) ? (block['elements'] as JsonObject[]) : []))
      .find((element) => element['action_id'] === actionId);
    if (found === undefined) throw new Error(`the message has no button ${actionId}`);
    clicks += 1;
    const payload = {
      type: 'block_actions',
      user: { ...user, name: user.username, team_id: teamId },
      team: { id: teamId },
      message: { ts: message.ts, blocks: message.blocks },
      actions: [{ type: 'button', action_id: actionId, value: found['value'] ?? null, action_ts: String(clicks) }],
      trigger_id: `trigger-${clicks}`,
      response_url: `${server.baseUrl}/actions/${teamId}/${clicks}`,
    };
    const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
    return { body, headers: signSlack(signingSecret, body, Math.floor(Date.now() / 1000)) };
  };
  return Object.assign(server, { botToken, signingSecret, teamId, channels, messages, answers, click });
}

const ok = (members: JsonObject): ProviderReply => ({ status: 200, body: { ok: true, ...members } });
const refused = (error: string): ProviderReply => ({ status: 200, body: { ok: false, error } });
