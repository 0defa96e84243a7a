import type { Json, JsonObject } from '../json.ts';

/** Sessions: conversation threads of agents (docs/sessions.md). */
export const MESSAGE_ROLES = ['system', 'user', 'assistant', 'tool'] as const;
export type MessageRole = (typeof MESSAGE_ROLES)[number];

export const SESSION_NAME_CHARACTERS_MAX = 200;
export const SESSION_METADATA_BYTES_MAX = 16_384;
/** A hundred years: longer than anything that anybody means. */
export const TTL_SECONDS_MAX = 3_153_600_000;

export const MESSAGES_PER_APPEND_MAX = 100;
/** The size of one message as JSON, so that a page of a hundred, which lists them whole, is bounded. */
export const MESSAGE_BYTES_MAX = 65_536;
export const MESSAGES_PER_SESSION_MAX = 100_000;
export const TOOL_CALLS_PER_MESSAGE_MAX = 64;
export const PARTS_PER_MESSAGE_MAX = 64;

export interface ToolCall {
  id: string;
  name: string;
  arguments: JsonObject;
}

export type MessagePart = { type: 'text'; text: string } | { type: 'image'; url: string };

export interface ChatMessage {
  role: MessageRole;
  content: string | MessagePart[];
  name: string | null;
  toolCallId: string | null;
  /** Only an assistant's message has calls. */
  toolCalls: ToolCall[] | null;
}

export interface NewSessionMessage extends ChatMessage {
  metadata: JsonObject | null;
  tokens: number;
}

/** The texts whose tokens, counted one by one, are the tokens of a message. A string alone counts as it is. */
export function countedTexts({ content, toolCalls }: Pick<ChatMessage, 'content' | 'toolCalls'>): string[] {
  const said =
    typeof content === 'string'
      ? [content]
      : content.map((part) => (part.type === 'text' ? part.text : JSON.stringify(part)));
  const calls = toolCalls ?? [];
  return [...said, ...calls.flatMap((call) => [call.name, JSON.stringify(call.arguments satisfies Json)])];
}

/** The tokens of each message, from the counts of all their texts in one row. */
export function tokensOfMessages(
  messages: readonly Pick<ChatMessage, 'content' | 'toolCalls'>[],
  counts: readonly number[],
): number[] {
  let at = 0;
  return messages.map((message) => {
    const end = at + countedTexts(message).length;
    const sum = counts.slice(at, end).reduce((total, count) => total + count, 0);
    at = end;
    return sum;
  });
}
