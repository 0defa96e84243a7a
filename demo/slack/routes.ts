import { createHmac } from 'node:crypto';
import { DemoError, type Answer, type Call, type Route } from '../http.ts';
import { areTooLong, Channel, readContent, type Element } from './channel.ts';

/** Slack shows the person an error where the app has not answered by then. */
const INTERACTION_TIMEOUT_MS = 3_000;
const CHANNEL = { id: 'C0DEMO', name: 'approvals' };

export interface SlackOptions {
  /** The end of the incoming webhook's address. As in Slack, who knows the address may post. */
  webhookToken: string;
  signingSecret: string;
  /** The demo's key, for what a person does in Slack: reading the channel, clicking, setting up the app. */
  credential: string;
}

/**
 * A workspace of Slack with one channel and one app: an incoming webhook, buttons, and the `response_url` that replaces a message. A
 * click is sent to the app's Request URL as Slack sends it: a form with `payload`, signed over time and body.
 *
 * For people: `GET /slack/messages`, `PUT /slack/app { requestUrl }` and
 * `POST /slack/messages/{ts}/clicks { button, user: { id, username } }`.
 */
export function slackRoutes({ webhookToken, signingSecret, credential }: SlackOptions): Route {
  const channel = new Channel();
  const webhook = `/slack/services/T0DEMO/B0DEMO/${webhookToken}`;
  let requestUrl: string | null = null;

  const responsePath = (ts: string): string => `/slack/responses/${signature(signingSecret, `response:${ts}`)}/${ts}`;

  const click = async ({ body, headers }: Call, ts: string): Promise<Answer> => {
    const { button, user } = wantedClick(body);
    if (requestUrl === null) throw new DemoError(409, 'no_request_url', 'Set the Request URL: PUT /slack/app.');
    const interaction = interactionOf(
      channel.button(ts, button),
      user,
      ts,
      `http://${headers.host}${responsePath(ts)}`,
    );
    return { status: 200, body: await deliver(requestUrl, signingSecret, interaction) };
  };

  return (call) => {
    const { method, path, body } = call;
    if (!path.startsWith('/slack/')) return null;
    if (method === 'POST' && path === webhook) return post(channel, body);
    const [, , collection, first = '', last] = path.split('/');
    if (method === 'POST' && collection === 'responses' && path === responsePath(last ?? '')) {
      return replace(channel, last ?? '', body);
    }
    if (call.headers.authorization !== `Bearer ${credential}`)
      throw new DemoError(403, 'invalid_token', 'Wrong address or key.');
    switch (`${method} ${collection}${last === undefined ? '' : `/…/${last}`}`) {
      case 'GET messages':
        return { status: 200, body: { messages: channel.messages() } };
      case 'PUT app':
        requestUrl = wantedRequestUrl(body);
        return { status: 200, body: { requestUrl } };
      case 'POST messages/…/clicks':
        return click(call, first);
      default:
        return null;
    }
  };
}

function post(channel: Channel, body: unknown): Answer {
  const content = readContent(body);
  if (content === null) return { status: 400, text: 'invalid_blocks' };
  if (areTooLong(content)) return { status: 400, text: 'msg_blocks_too_long' };
  if (content.text === '') return { status: 400, text: 'no_text' };
  channel.post(content);
  return { status: 200, text: 'ok' };
}

function replace(channel: Channel, ts: string, body: unknown): Answer {
  const content = readContent(body);
  if (content === null) return { status: 400, text: 'invalid_blocks' };
  const isReplacement = (body as Record<string, unknown>)['replace_original'] === true;
  if (isReplacement) channel.replace(ts, content);
  else channel.post(content);
  return { status: 200, text: 'ok' };
}

interface User {
  id: string;
  username: string;
}

function interactionOf(button: Element, user: User, ts: string, responseUrl: string): object {
  return {
    type: 'block_actions',
    team: { id: 'T0DEMO', domain: 'demo' },
    user,
    channel: CHANNEL,
    container: { type: 'message', message_ts: ts, channel_id: CHANNEL.id },
    response_url: responseUrl,
    actions: [button],
  };
}

/** What Slack does with a click, and what it would show to who clicked. */
async function deliver(
  requestUrl: string,
  secret: string,
  interaction: object,
): Promise<{ delivered: boolean; why: string }> {
  const body = new URLSearchParams({ payload: JSON.stringify(interaction) }).toString();
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), INTERACTION_TIMEOUT_MS);
  try {
    const reply = await fetch(requestUrl, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-slack-request-timestamp': timestamp,
        'x-slack-signature': `v0=${signature(secret, `v0:${timestamp}:${body}`)}`,
      },
      body,
      signal: abort.signal,
    });
    await reply.arrayBuffer();
    return { delivered: reply.ok, why: `the app answered ${reply.status}` };
  } catch (error) {
    return { delivered: false, why: `the app did not answer: ${String(error)}` };
  } finally {
    clearTimeout(timer);
  }
}

function signature(secret: string, text: string): string {
  return createHmac('sha256', secret).update(text).digest('hex');
}

function wantedClick(body: unknown): { button: string; user: User } {
  const { button, user } = (body ?? {}) as { button?: unknown; user?: Partial<User> };
  if (typeof button !== 'string') throw new DemoError(400, 'invalid', 'button must be the action_id of a button.');
  if (typeof user?.id !== 'string' || typeof user.username !== 'string') {
    throw new DemoError(400, 'invalid', 'user must have an id and a username.');
  }
  return { button, user: { id: user.id, username: user.username } };
}

/** Only this machine: the demo must not be made to call others. */
function wantedRequestUrl(body: unknown): string {
  const { requestUrl } = (body ?? {}) as { requestUrl?: unknown };
  if (typeof requestUrl === 'string' && requestUrl.startsWith('http://127.0.0.1:') && URL.canParse(requestUrl))
    return requestUrl;
  throw new DemoError(400, 'invalid', 'requestUrl must begin with http://127.0.0.1:');
}
