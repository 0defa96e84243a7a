import type { JsonObject } from '../json.ts';
import type { DiscordCredential } from './integrations.ts';

/** What a call of a chat system came to. No member holds a credential. */
export type ChatReply =
  | { kind: 'done'; data: JsonObject }
  /** It answered that it will not: sending the same again is of no use. */
  | { kind: 'refused'; reason: string }
  /** No answer, or one that asks to come back. */
  | { kind: 'again'; reason: string; afterSeconds: number | null };

export interface ChatCall {
  workspaceId: string;
  integrationId: string;
  timeoutMs: number;
}

/** The two chat systems, through the egress guard. It retries nothing. */
export interface ChatClient {
  /** A method of Slack's Web API, such as `chat.postMessage`. */
  slack(call: ChatCall, botToken: string, method: string, body: JsonObject): Promise<ChatReply>;
  /** Posts by a Discord webhook; without a body it reads the webhook itself. */
  discord(call: ChatCall, webhook: DiscordCredential & { id: string }, body: JsonObject | null): Promise<ChatReply>;
  /** Answers a click in Slack, at the URL that came with it. */
  respond(call: ChatCall, responseUrl: string, body: JsonObject): Promise<ChatReply>;
}
