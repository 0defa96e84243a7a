import { CONTEXT_BYTES_MAX, MAX_TOKENS_MAX } from '../../domain/context/assemble.ts';
import { MESSAGE_BYTES, type MessageOutline, NewestUnits } from '../../domain/context/newest-units.ts';
import type { ContextMessage } from '../../domain/context/units.ts';
import type { EnvironmentTransaction } from '../client.ts';

export interface Conversation {
  /** All of its messages. */
  messageCount: number;
  /** The tokens of its system messages, each counted alone. */
  systemTokens: number;
  /** The bytes of their texts and names, and MESSAGE_BYTES of each. */
  systemBytes: number;
  /** All system messages and the newest others, in their order. No system messages where these are more than any context can hold. */
  messages: ContextMessage[];
  /** No older message could be in a context: a larger allowance reads nothing more. */
  isWhole: boolean;
  /** Older messages may not be read, for their bytes or their number: a larger allowance reads nothing more. */
  isCut: boolean;
}

/** Most contexts are of fewer messages. */
const OUTLINES_A_PAGE = 250;
/**
 * Messages that one context looks at, the newest ones. Those that no context holds take neither tokens nor bytes: without this bound a
 * session of nothing else would be walked to its end, in hundreds of queries.
 */
export const OUTLINES_MAX = 20_000;
/** The same if only a part may be read, because the caller lets others wait. */
export const OUTLINES_OF_PART_MAX = 2 * OUTLINES_A_PAGE;

/**
 * The system messages, and the newest others that can be in a context, as far as their tokens come to `allowance`, and their
 * bytes with those of the system messages to CONTEXT_BYTES_MAX, among the newest OUTLINES_MAX. Messages that no
 * context holds (calls without all of their results, results without a call) are not read, and leave what is older its place.
 *
 * Null where a `bytesMax` below CONTEXT_BYTES_MAX, or the OUTLINES_OF_PART_MAX that are looked at then, would leave out what can be in
 * it: then none was read.
 *
 * @param tx a snapshot, in which the session was found: the count and the messages are of one moment.
 */
export async function readConversation(
  tx: EnvironmentTransaction,
  sessionId: string,
  allowance: number,
  bytesMax = CONTEXT_BYTES_MAX,
): Promise<Conversation | null> {
  const { messageCount, systemTokens, systemBytes } = await countMessages(tx, sessionId);
  const isPart = bytesMax < CONTEXT_BYTES_MAX;
  if (isPart && systemBytes > bytesMax) return null;
  const newest = new NewestUnits({
    allowance,
    bytesMax: Math.min(bytesMax, CONTEXT_BYTES_MAX) - systemBytes,
    outlinesMax: isPart ? OUTLINES_OF_PART_MAX : OUTLINES_MAX,
  });
  let page: MessageOutline[] = [];
  do {
    page = await newestOutlines(tx, sessionId, page.at(-1)?.sequence ?? null);
    for (const message of page) newest.add(message);
  } while (page.length === OUTLINES_A_PAGE && !newest.isFull);
  if (isPart && newest.isCut) return null;
  const isSystemRead = systemTokens <= MAX_TOKENS_MAX && systemBytes <= CONTEXT_BYTES_MAX;
  const messages = await readMessages(tx, { sessionId, isSystemRead, sequences: newest.sequences });
  return { messageCount, systemTokens, systemBytes, messages, isWhole: !newest.isFull, isCut: newest.isCut };
}

async function countMessages(
  tx: EnvironmentTransaction,
  sessionId: string,
): Promise<Pick<Conversation, 'messageCount' | 'systemTokens' | 'systemBytes'>> {
  const counted = await tx.row<{ messageCount: number; systemTokens: number; systemBytes: number }>(
    'count_messages',
    `SELECT s.message_count AS "messageCount",
       COALESCE(m.tokens, 0)::float8 AS "systemTokens", COALESCE(m.bytes, 0)::float8 AS "systemBytes"
     FROM sessions s CROSS JOIN LATERAL (
       SELECT sum(tokens) AS tokens, sum(bytes + COALESCE(octet_length(name), 0) + :messageBytes::int) AS bytes
       FROM session_messages WHERE session_id = s.id AND role = 'system') m
     WHERE s.id = :sessionId`,
    { sessionId, messageBytes: MESSAGE_BYTES },
  );
  if (counted === null) throw new Error(`session ${sessionId} was found and is gone: the transaction is no snapshot`);
  return counted;
}

/** The newest first, from before a sequence on. */
async function newestOutlines(
  tx: EnvironmentTransaction,
  sessionId: string,
  before: number | null,
): Promise<MessageOutline[]> {
  return tx.rows<MessageOutline>(
    'newest_outlines',
    `SELECT sequence::float8 AS sequence, role, tokens, tool_call_id AS "toolCallId",
       bytes + COALESCE(octet_length(name), 0) + COALESCE(octet_length(tool_call_id), 0) AS bytes,
       CASE WHEN tool_calls IS NOT NULL THEN ARRAY(SELECT call ->> 'id' FROM jsonb_array_elements(tool_calls) call) END AS "callIds"
     FROM session_messages
     WHERE session_id = :sessionId AND role <> 'system' AND sequence < COALESCE(CAST(:before AS bigint), 9223372036854775807)
     ORDER BY session_messages.sequence DESC LIMIT :page`,
    { sessionId, before, page: OUTLINES_A_PAGE },
  );
}

async function readMessages(
  tx: EnvironmentTransaction,
  asked: { sessionId: string; isSystemRead: boolean; sequences: readonly number[] },
): Promise<ContextMessage[]> {
  return tx.rows<ContextMessage>(
    'read_messages',
    `SELECT id, role, content, name, "toolCallId", "toolCalls", tokens FROM (
       SELECT ${COLUMNS} FROM session_messages m WHERE m.session_id = :sessionId AND m.role = 'system' AND :isSystemRead::boolean
       UNION ALL
       SELECT ${COLUMNS} FROM session_messages m WHERE m.session_id = :sessionId AND m.sequence = ANY (CAST(:sequences AS bigint[]))) known
     ORDER BY sequence`,
    asked,
  );
}

const COLUMNS =
  'm.id, m.sequence, m.role, m.content, m.name, m.tool_call_id AS "toolCallId", m.tool_calls AS "toolCalls", m.tokens';
