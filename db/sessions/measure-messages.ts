import type { EnvironmentTransaction } from '../client.ts';

export interface SessionSize {
  /** The messages' content and calls take them, as JSON. */
  bytes: number;
  /** 0: it has no messages. */
  lastSequence: number;
}

/** How large the messages of a session are together. None of them is read: each row says its own bytes. */
export async function measureMessages(tx: EnvironmentTransaction, sessionId: string): Promise<SessionSize> {
  const { rows } = await tx.raw<{ rows: SessionSize[] }>(
    `SELECT coalesce(sum(m.bytes), 0)::float8 AS bytes, coalesce(max(m.sequence), 0)::float8 AS "lastSequence"
     FROM session_messages m WHERE m.session_id = ?`,
    [sessionId],
  );
  return rows[0] ?? { bytes: 0, lastSequence: 0 };
}
