import { ServiceError } from '../../domain/errors.ts';
import { newId } from '../../domain/ids.ts';
import { MESSAGES_PER_SESSION_MAX, type NewSessionMessage } from '../../domain/sessions/sessions.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { LIVE, MESSAGE_COLUMNS, type SessionMessageRecord } from './records.ts';

/**
 * Appends messages in their order, all or none. The lock on the session's row lasts until the commit, so appends come one after the
 * other and their numbers have no gap. Null: no such session.
 *
 * @throws {ServiceError} QUOTA_EXCEEDED where the session would hold too many.
 */
export async function appendMessages(
  tx: EnvironmentTransaction,
  sessionId: string,
  messages: readonly NewSessionMessage[],
): Promise<SessionMessageRecord[] | null> {
  const rows = messages.map(({ toolCallId, toolCalls, ...rest }) => ({
    ...rest,
    id: newId('sessionMessage'),
    tool_call_id: toolCallId,
    tool_calls: toolCalls,
  }));
  const tokens = messages.reduce((sum, message) => sum + message.tokens, 0);
  try {
    const appended = await tx.raw<{ rows: SessionMessageRecord[] }>(APPEND, {
      sessionId,
      count: messages.length,
      tokens,
      messages: JSON.stringify(rows),
    });
    return appended.rows.length === 0 ? null : appended.rows;
  } catch (error) {
    if ((error as { constraint?: unknown }).constraint !== 'sessions_message_count_check') throw error;
    throw new ServiceError('QUOTA_EXCEEDED', {
      message: `A session holds at most ${MESSAGES_PER_SESSION_MAX} messages. Clear it, or begin another one.`,
      cause: error,
    });
  }
}

const APPEND = `
  WITH session AS (
    UPDATE sessions s SET last_sequence = s.last_sequence + CAST(:count AS integer), message_count = s.message_count + CAST(:count AS integer),
      token_count = s.token_count + CAST(:tokens AS integer), updated_at = now()
    WHERE s.id = :sessionId AND ${LIVE}
    RETURNING s.id, s.environment_id, s.last_sequence - CAST(:count AS integer) AS base),
  added AS (
    INSERT INTO session_messages AS m (session_id, sequence, environment_id, id, role, content, name, tool_call_id, tool_calls, metadata, tokens)
    SELECT session.id, session.base + n.ordinal, session.environment_id, n.id, n.role, n.content, n.name, n.tool_call_id,
      n.tool_calls, n.metadata, n.tokens
    FROM session, ROWS FROM (json_to_recordset(CAST(:messages AS json)) AS (id text, role text, content jsonb, name text, tool_call_id text,
      tool_calls jsonb, metadata jsonb, tokens integer)) WITH ORDINALITY AS n (id, role, content, name, tool_call_id, tool_calls, metadata,
      tokens, ordinal)
    RETURNING ${MESSAGE_COLUMNS})
  SELECT * FROM added ORDER BY sequence`;
