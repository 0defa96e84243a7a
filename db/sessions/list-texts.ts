import type { SessionMessageRecord } from './records.ts';
import type { EnvironmentTransaction } from '../client.ts';

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
  const { rows } = await tx.raw<{ rows: MessageText[] }>(
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
  return rows;
}
