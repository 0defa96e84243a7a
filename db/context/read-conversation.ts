import type { ContextMessage } from '../../domain/context/units.ts';
import type { EnvironmentTransaction } from '../client.ts';

export interface Conversation {
  /** All of its messages. */
  messageCount: number;
  /** The tokens of its system messages. */
  systemTokens: number;
  /** All system messages and the newest others, in their order; without the system messages where these alone are too many. */
  messages: ContextMessage[];
}

/** The least that a message takes beside its own tokens, in any format. */
const FRAME_TOKENS_MIN = 2;

const COLUMNS =
  'm.id, m.sequence, m.role, m.content, m.name, m.tool_call_id AS "toolCallId", m.tool_calls AS "toolCalls", m.tokens';

/** What a context of so many tokens can hold of a session that the same transaction has found: as much of it as could fit, and no more. */
export async function readConversation(
  tx: EnvironmentTransaction,
  sessionId: string,
  maxTokens: number,
): Promise<Conversation> {
  const bindings = { sessionId, maxTokens, rowsMax: Math.ceil(maxTokens / FRAME_TOKENS_MIN) };
  const counted = await tx.raw<{ rows: { messageCount: number; systemTokens: number }[] }>(
    `SELECT (SELECT message_count FROM sessions WHERE id = :sessionId) AS "messageCount",
       (SELECT COALESCE(sum(tokens), 0)::float8 FROM session_messages WHERE session_id = :sessionId AND role = 'system') AS "systemTokens"`,
    bindings,
  );
  const [{ messageCount, systemTokens } = { messageCount: 0, systemTokens: 0 }] = counted.rows;
  const { rows } = await tx.raw<{ rows: ContextMessage[] }>(
    `SELECT id, role, content, name, "toolCallId", "toolCalls", tokens FROM (
       SELECT ${COLUMNS} FROM session_messages m
       WHERE m.session_id = :sessionId AND m.role = 'system' AND CAST(:systemTokens AS float8) <= :maxTokens
       UNION ALL
       SELECT ${COLUMNS} FROM (
         SELECT n.*, sum(n.tokens + ${FRAME_TOKENS_MIN}) OVER (ORDER BY n.sequence DESC) AS running FROM (
           SELECT * FROM session_messages WHERE session_id = :sessionId AND role <> 'system' ORDER BY sequence DESC LIMIT :rowsMax) n) m
       WHERE m.running <= :maxTokens) fitting
     ORDER BY sequence`,
    { ...bindings, systemTokens },
  );
  return { messageCount, systemTokens, messages: rows };
}
