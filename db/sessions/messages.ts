import { ServiceError } from '../../domain/errors.ts';
import { newId } from '../../domain/ids.ts';
import { MESSAGES_PER_SESSION_MAX, type NewSessionMessage } from '../../domain/sessions/sessions.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { conditionsFor, type Page, pageOf, type Range } from '../page.ts';
import { type DeletedStep, deleteInSteps } from '../delete-in-steps.ts';
import { LIVE, MESSAGE_COLUMNS, type SessionMessageRecord } from './sessions.ts';

/**
 * Appends messages in their order, all or none. The lock on the session's row lasts until the commit, so appends come one after the
 * other and their numbers have no gap. Returns null when the session does not exist.
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
    const appended = await tx.raw<{ rows: SessionMessageRecord[] }>('append_messages', APPEND, {
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

export interface MessagePage extends Range {
  order: 'asc' | 'desc';
  /** The sequence behind which the list begins, in its order. */
  after?: number | undefined;
}

/** One page of a session that the same transaction has found. Messages are whole: they are bounded one by one. */
export async function listMessages(
  tx: EnvironmentTransaction,
  sessionId: string,
  { order, ...asked }: MessagePage,
): Promise<Page<SessionMessageRecord>> {
  const isAscending = order === 'asc';
  const after = `m.sequence ${isAscending ? '>' : '<'} CAST(:after AS bigint)`;
  return pageOf(tx, {
    name: { variantsOf: 'list_sessions_messages' },
    columns: MESSAGE_COLUMNS,
    from: 'session_messages m',
    where: ['m.session_id = :sessionId', ...conditionsFor({ after }, asked)].join(' AND '),
    order: `m.sequence ${isAscending ? 'ASC' : 'DESC'}`,
    asked: { sessionId, ...asked },
  });
}

export type MessageText = Pick<SessionMessageRecord, 'id' | 'sequence' | 'role' | 'name'> & { text: string };

/**
 * What was said in words by the messages of a session with numbers above `after`, up to `to`, in their order. An image has no words, and
 * neither has a call of a tool: both stay in the database.
 */
export async function listTexts(
  tx: EnvironmentTransaction,
  sessionId: string,
  { after, to, limit }: { after: number; to: number; limit: number },
): Promise<MessageText[]> {
  return tx.rows<MessageText>(
    'list_texts',
    `SELECT m.id, m.sequence::float8 AS sequence, m.role, m.name, CASE jsonb_typeof(m.content)
         WHEN 'string' THEN m.content #>> '{}'
         ELSE coalesce((SELECT string_agg(p.part ->> 'text', E'\\n\\n' ORDER BY p.position)
           FROM jsonb_array_elements(m.content) WITH ORDINALITY AS p (part, position) WHERE p.part ->> 'type' = 'text'), '')
       END AS text
     FROM session_messages m
     WHERE m.session_id = :sessionId AND m.sequence > CAST(:after AS bigint) AND m.sequence <= CAST(:to AS bigint)
     ORDER BY m.sequence LIMIT :limit`,
    { sessionId, after, to, limit },
  );
}

export interface SessionSize {
  /** The messages' content and calls take them, as JSON. */
  bytes: number;
  /** 0: it has no messages. */
  lastSequence: number;
}

/** How large the messages of a session are together. None of them is read: each row says its own bytes. */
export async function measureMessages(tx: EnvironmentTransaction, sessionId: string): Promise<SessionSize> {
  const rows = await tx.rows<SessionSize>(
    'measure_messages',
    `SELECT coalesce(sum(m.bytes), 0)::float8 AS bytes, coalesce(max(m.sequence), 0)::float8 AS "lastSequence"
     FROM session_messages m WHERE m.session_id = ?`,
    [sessionId],
  );
  return rows[0] ?? { bytes: 0, lastSequence: 0 };
}

/** Removes all messages of a session that the same transaction has locked. Returns how many. Their numbers are not used again. */
export async function clearMessages(tx: EnvironmentTransaction, sessionId: string): Promise<number> {
  const deleted = await deleteMessages(tx, sessionId);
  await tx.raw(
    'clear_messages',
    'UPDATE sessions SET message_count = 0, token_count = 0, updated_at = now() WHERE id = ?',
    [sessionId],
  );
  return deleted;
}

/** Each statement goes on behind the last one: a search from the beginning would look at all that is gone again. */
function deleteMessages(tx: EnvironmentTransaction, sessionId: string): Promise<number> {
  let after = 0;
  return deleteInSteps(async (most) => {
    const rows = await tx.rows<DeletedStep & { last: number | null }>(
      'delete_messages',
      `WITH gone AS (DELETE FROM session_messages WHERE session_id = :sessionId AND sequence > CAST(:after AS bigint) AND sequence <= (
         SELECT max(sequence) FROM (SELECT m.sequence FROM session_messages m WHERE m.session_id = :sessionId
           AND m.sequence > CAST(:after AS bigint) ORDER BY m.sequence LIMIT :most) step) RETURNING sequence)
       SELECT count(*)::int AS found, count(*)::int AS counted, CAST(max(sequence) AS float8) AS last FROM gone`,
      { sessionId, after, most },
    );
    after = rows[0]?.last ?? after;
    return rows[0];
  });
}

/** Removes the newest message of a session that the same transaction has locked. Returns null when there is none. Its number is not used again. */
export async function popMessage(tx: EnvironmentTransaction, sessionId: string): Promise<SessionMessageRecord | null> {
  return tx.row<SessionMessageRecord>(
    'pop_message',
    `WITH newest AS (SELECT max(sequence) AS sequence FROM session_messages WHERE session_id = :sessionId),
     gone AS (DELETE FROM session_messages m USING newest WHERE m.session_id = :sessionId AND m.sequence = newest.sequence
       RETURNING ${MESSAGE_COLUMNS}),
     counted AS (UPDATE sessions s SET message_count = s.message_count - 1, token_count = s.token_count - gone.tokens, updated_at = now()
       FROM gone WHERE s.id = :sessionId)
     SELECT * FROM gone`,
    { sessionId },
  );
}

/** Deletes a session that the same transaction has locked, with its messages. */
export async function deleteSession(tx: EnvironmentTransaction, sessionId: string): Promise<void> {
  await deleteMessages(tx, sessionId);
  await tx.raw('delete_session', 'DELETE FROM sessions WHERE id = ?', [sessionId]);
}
