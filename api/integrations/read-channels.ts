import type { ChatReply } from '../../domain/integrations/chat-client.ts';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import { answerOf, textOf } from './ask-chat.ts';

/**
 * Slack recommends at most 200 channels a page: a thousand with long topics are more than the client reads of one answer. Few workspaces
 * have more channels than these pages hold. Source: "conversations.list" (docs.slack.dev), which Slack answers some 20 times a minute.
 */
const PAGE_SIZE = 200;
const PAGES_MAX = 15;
/** For all pages together: the caller waits. */
const LISTING_TIMEOUT_MS = 20_000;

export interface SlackChannel {
  id: string;
  name: string;
  isPrivate: boolean;
  isMember: boolean;
}

/** One call of `conversations.list`. */
export type AskForPage = (body: JsonObject, timeoutMs: number) => Promise<ChatReply>;

/**
 * The channels of a Slack workspace, page by page. Where the time is over, or Slack asks to come back later, those that were read are
 * the answer, `truncated`: the caller may find the channel among them, and would hardly get further with another try.
 *
 * @throws {ServiceError} CONFLICT for what Slack refuses, SERVICE_UNAVAILABLE where it gives no page at all.
 */
export async function readChannels(
  ask: AskForPage,
  nowMs: () => number = () => performance.now(),
): Promise<{ channels: SlackChannel[]; truncated: boolean }> {
  const endMs = nowMs() + LISTING_TIMEOUT_MS;
  const channels: SlackChannel[] = [];
  let cursor = '';
  for (let page = 1; page <= PAGES_MAX; page++) {
    const leftMs = endMs - nowMs();
    if (leftMs <= 0) break;
    const reply = await ask({ ...QUERY, ...(cursor === '' ? {} : { cursor }) }, leftMs);
    if (reply.kind === 'again' && page > 1) break;
    const answer = answerOf('slack', reply);
    const found = Array.isArray(answer['channels']) ? answer['channels'].filter(isJsonObject) : [];
    channels.push(...found.map(channelOf));
    const metadata = answer['response_metadata'];
    cursor = isJsonObject(metadata) && typeof metadata['next_cursor'] === 'string' ? metadata['next_cursor'] : '';
    if (cursor === '') break;
  }
  return { channels, truncated: cursor !== '' };
}

const QUERY = { types: 'public_channel,private_channel', exclude_archived: true, limit: PAGE_SIZE };

export function channelOf(channel: JsonObject): SlackChannel {
  return {
    id: textOf(channel['id']),
    name: textOf(channel['name']),
    isPrivate: channel['is_private'] === true,
    isMember: channel['is_member'] === true,
  };
}
