import type { ChatReply } from '../../domain/integrations/chat-client.ts';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import { answerOf, textOf } from './ask-chat.ts';

/**
 * Slack's recommended maximum: longer pages exceed the client's limit. Source: "conversations.list" (docs.slack.dev), rate limit about 20 a
 * minute.
 */
const PAGE_SIZE = 200;
const PAGES_MAX = 15;
/** For all pages: the caller waits. */
const LISTING_TIMEOUT_MS = 20_000;

export interface SlackChannel {
  id: string;
  name: string;
  isPrivate: boolean;
  isMember: boolean;
}

export type AskForPage = (body: JsonObject, timeoutMs: number) => Promise<ChatReply>;

/**
 * Reads channels page by page. When time runs out or Slack limits the rate, returns the pages so far as `truncated`: another try would
 * hardly get further.
 *
 * @throws {ServiceError} CONFLICT when Slack refuses, SERVICE_UNAVAILABLE without any page.
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
