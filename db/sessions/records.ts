import type { ChatMessage } from '../../domain/sessions/sessions.ts';
import type { JsonObject } from '../../domain/json.ts';

export interface SessionRecord {
  id: string;
  name: string | null;
  userId: string | null;
  agentId: string | null;
  metadata: JsonObject | null;
  messageCount: number;
  tokenCount: number;
  expiresAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

export interface SessionMessageRecord extends ChatMessage {
  id: string;
  sequence: number;
  tokens: number;
  metadata: JsonObject | null;
  createdAt: Date;
}

/** For `sessions s`. */
export const SESSION_COLUMNS = `s.id, s.name, s.user_id AS "userId", s.agent_id AS "agentId", s.metadata,
  s.message_count AS "messageCount", s.token_count::float8 AS "tokenCount", s.expires_at AS "expiresAt", s.created_at AS "createdAt",
  s.updated_at AS "updatedAt"`;

/** For `session_messages m`. A double holds every sequence exactly. */
export const MESSAGE_COLUMNS = `m.id, m.sequence::float8 AS sequence, m.role, m.content, m.name, m.tool_call_id AS "toolCallId",
  m.tool_calls AS "toolCalls", m.metadata, m.tokens, m.created_at AS "createdAt"`;

/** For `sessions s`: one that is past its end is not there, although its row may be until the sweep comes. */
export const LIVE = '(s.expires_at IS NULL OR s.expires_at > now())';
