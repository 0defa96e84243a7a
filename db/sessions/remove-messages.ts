import type { EnvironmentTransaction } from '../client.ts';
import { type DeletedStep, deleteInSteps } from '../delete-in-steps.ts';
import { MESSAGE_COLUMNS, type SessionMessageRecord } from './records.ts';

/** Removes all messages of a session that the same transaction has locked. Returns how many. Their numbers are not used again. */
export async function clearMessages(tx: EnvironmentTransaction, sessionId: string): Promise<number> {
  const deleted = await deleteMessages(tx, sessionId);
  await tx.raw('UPDATE sessions SET message_count = 0, token_count = 0, updated_at = now() WHERE id = ?', [sessionId]);
  return deleted;
}

/** Each statement goes on behind the last one: a search from the beginning would look at all that is gone again. */
function deleteMessages(tx: EnvironmentTransaction, sessionId: string): Promise<number> {
  let after = 0;
  return deleteInSteps(async (most) => {
    const { rows } = await tx.raw<{ rows: (DeletedStep & { last: number | null })[] }>(
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

/** Removes the newest message of a session that the same transaction has locked. Null: there is none. Its number is not used again. */
export async function popMessage(tx: EnvironmentTransaction, sessionId: string): Promise<SessionMessageRecord | null> {
  const { rows } = await tx.raw<{ rows: SessionMessageRecord[] }>(
    `WITH newest AS (SELECT max(sequence) AS sequence FROM session_messages WHERE session_id = :sessionId),
     gone AS (DELETE FROM session_messages m USING newest WHERE m.session_id = :sessionId AND m.sequence = newest.sequence
       RETURNING ${MESSAGE_COLUMNS}),
     counted AS (UPDATE sessions s SET message_count = s.message_count - 1, token_count = s.token_count - gone.tokens, updated_at = now()
       FROM gone WHERE s.id = :sessionId)
     SELECT * FROM gone`,
    { sessionId },
  );
  return rows[0] ?? null;
}

/** Deletes a session that the same transaction has locked, with its messages. */
export async function deleteSession(tx: EnvironmentTransaction, sessionId: string): Promise<void> {
  await deleteMessages(tx, sessionId);
  await tx.raw('DELETE FROM sessions WHERE id = ?', [sessionId]);
}
