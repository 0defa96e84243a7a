import type { PreparedRequest } from '../../../domain/adapters/adapter-descriptor.ts';
import type { ChatCall, ChatClient, ChatReply } from '../../../domain/integrations/chat-client.ts';
import { CHAT_ORIGINS } from '../../../domain/integrations/integrations.ts';
import { isJsonObject, type JsonObject } from '../../../domain/json.ts';
import { USER_AGENT } from '../../../domain/product.ts';
import { retryAfterMs } from '../../../domain/retry-after.ts';
import { sendRequest, type SendOptions, type Sent } from '../http-request/send-request.ts';
import { OverdueError, type Watchdog } from '../watchdog.ts';

/** A page of a channel listing is a few hundred kilobytes. */
const REPLY_BYTES_MAX = 2 * 1024 * 1024;
const RETRY_AFTER_SECONDS_MAX = 3_600;
const MS_PER_SECOND = 1_000;
const RESPONSE_ORIGIN = 'https://hooks.slack.com';

export interface ChatOptions extends SendOptions {
  watchdog: Pick<Watchdog, 'run'>;
  slackBaseUrl?: string;
  discordBaseUrl?: string;
}

/** Slack's Web API and Discord's webhooks. Both are called as their own address is, or where a configuration says. */
export function createChatClient({ watchdog, slackBaseUrl, discordBaseUrl, ...options }: ChatOptions): ChatClient {
  const slackBase = trimmed(slackBaseUrl ?? CHAT_ORIGINS.slack);
  const discordBase = trimmed(discordBaseUrl ?? CHAT_ORIGINS.discord);
  const send = async ({ workspaceId, integrationId, timeoutMs }: ChatCall, request: PreparedRequest): Promise<Sent> => {
    const watched = { kind: 'chat', workspaceId, ids: { integrationId }, timeoutMs } as const;
    try {
      return await watchdog.run(watched, (signal) =>
        sendRequest(options, request, { bytesMax: REPLY_BYTES_MAX, larger: 'no_answer' }, { timeoutMs, signal }),
      );
    } catch (error) {
      if (error instanceof OverdueError) return { kind: 'no_answer', reason: error.message };
      throw error;
    }
  };
  return {
    async slack(call, botToken, method, body) {
      return slackReply(await send(call, formOf(`${slackBase}/api/${method}`, botToken, body)));
    },
    async discord(call, { id, webhookToken }, body) {
      const url = `${discordBase}/api/v10/webhooks/${id}/${webhookToken}`;
      if (body === null) return discordReply(await send(call, requestOf('GET', url, null)));
      return discordReply(await send(call, requestOf('POST', `${url}?wait=true&with_components=true`, body)));
    },
    async respond(call, responseUrl, body) {
      const { origin } = new URL(responseUrl);
      if (origin !== RESPONSE_ORIGIN && origin !== new URL(slackBase).origin) {
        return { kind: 'refused', reason: 'the response_url is not one of Slack' };
      }
      const sent = await send(call, requestOf('POST', responseUrl, body));
      if (sent.kind !== 'response') return notAnswered(sent);
      const { status } = sent.response;
      return status === 200 ? { kind: 'done', data: {} } : { kind: 'refused', reason: `Slack answered ${status}` };
    },
  };
}

const COMMON_HEADERS = { Accept: 'application/json', 'User-Agent': USER_AGENT };

const trimmed = (url: string): string => url.replace(/\/+$/, '');

function requestOf(method: 'GET' | 'POST', url: string, body: JsonObject | null): PreparedRequest {
  if (body === null) return { method, url, headers: COMMON_HEADERS, body: null, bodyEncoding: 'utf8' };
  const headers = { ...COMMON_HEADERS, 'Content-Type': 'application/json; charset=utf-8' };
  return { method, url, headers, body: JSON.stringify(body), bodyEncoding: 'utf8' };
}

/** Every method of Slack's takes a form, and not every one JSON. What is no text in a form is JSON in it. */
function formOf(url: string, botToken: string, members: JsonObject): PreparedRequest {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(members)) {
    form.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  const headers = {
    ...COMMON_HEADERS,
    Authorization: `Bearer ${botToken}`,
    'Content-Type': 'application/x-www-form-urlencoded',
  };
  return { method: 'POST', url, headers, body: form.toString(), bodyEncoding: 'utf8' };
}

type Answered = Extract<Sent, { kind: 'response' }>;

/** The reasons name no URL: that of a Discord webhook is a credential. */
function notAnswered(sent: Exclude<Sent, Answered>): ChatReply {
  if (sent.kind === 'blocked') return { kind: 'refused', reason: 'the egress guard does not let the service call it' };
  return { kind: 'again', reason: 'it gave no answer', afterSeconds: null };
}

/** A refusal is a 200 with `ok: false` and a word for it. */
function slackReply(sent: Sent): ChatReply {
  if (sent.kind !== 'response') return notAnswered(sent);
  const { status, headers } = sent.response;
  if (status === 429 || status >= 500) return again(`Slack answered ${status}`, headers);
  const data = jsonOf(sent);
  if (status !== 200 || data === null) return { kind: 'refused', reason: `Slack answered ${status}` };
  if (data['ok'] === true) return { kind: 'done', data };
  const error = typeof data['error'] === 'string' ? data['error'].slice(0, 100) : 'unknown';
  if (SLACK_AGAIN.has(error)) return again(error, headers);
  return { kind: 'refused', reason: error };
}

const SLACK_AGAIN = new Set(['ratelimited', 'rate_limited', 'internal_error', 'fatal_error', 'service_unavailable']);

function discordReply(sent: Sent): ChatReply {
  if (sent.kind !== 'response') return notAnswered(sent);
  const { status, headers } = sent.response;
  if (status === 429 || status >= 500) return again(`Discord answered ${status}`, headers);
  const data = jsonOf(sent);
  if (status === 200 && data !== null) return { kind: 'done', data };
  const said = typeof data?.['message'] === 'string' ? `: ${data['message'].slice(0, 200)}` : '';
  return { kind: 'refused', reason: `Discord answered ${status}${said}` };
}

function again(reason: string, headers: readonly [string, string][]): ChatReply {
  const header = headers.find(([name]) => name === 'retry-after')?.[1];
  const seconds = ((header === undefined ? null : retryAfterMs(header, Date.now())) ?? 0) / MS_PER_SECOND;
  return { kind: 'again', reason, afterSeconds: seconds > 0 ? Math.min(seconds, RETRY_AFTER_SECONDS_MAX) : null };
}

function jsonOf({ response }: Answered): JsonObject | null {
  try {
    const parsed = JSON.parse(response.body.toString('utf8')) as unknown;
    return isJsonObject(parsed) ? parsed : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
