import type { EnvironmentTransaction } from '../client.ts';
import { MESSAGE_COLUMNS, type SessionMessageRecord } from './records.ts';

/** Removes all messages of a session that the same transaction has locked. Returns how many. Their numbers are not used again. */
export async function clearMessages(tx: EnvironmentTransaction, sessionId: string): Promise<number> {
  const { rows } = await tx.raw<{ rows: { deleted: number }[] }>(
    `WITH gone AS (DELETE FROM session_messages m WHERE m.session_id = :sessionId RETURNING 1),
     emptied AS (UPDATE sessions SET message_count = 0, token_count = 0, updated_at = now() WHERE id = :sessionId)
     SELECT count(*)::int AS deleted FROM gone`,
    { sessionId },
  );
  return rows[0]?.deleted ?? 0;
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
  await tx.raw('DELETE FROM session_messages WHERE session_id = ?', [sessionId]);
  await tx.raw('DELETE FROM sessions WHERE id = ?', [sessionId]);
}
