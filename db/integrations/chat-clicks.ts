import type { EnvironmentTransaction } from '../client.ts';

/** What the sender of a click is told. */
export interface ClickAnswer {
  text: string;
  /** Whether the approval no longer takes a decision: its message then loses the buttons. */
  ends: boolean;
}

/**
 * Records a click with its answer, in the transaction of its decision. Returns false for a request that is on record already: a retry, or
 * a recorded one that somebody sends again. The second of two at once waits here for the first. The sweep deletes rows after an hour, and
 * requests are accepted for only five minutes.
 */
export async function recordClick(
  tx: EnvironmentTransaction,
  integrationId: string,
  requestHash: Buffer,
  answer: ClickAnswer,
): Promise<boolean> {
  const { rows } = await tx.raw<{ rows: unknown[] }>(
    `INSERT INTO chat_clicks (integration_id, request_hash, environment_id, answer) VALUES (?, ?, current_environment_id(), ?)
     ON CONFLICT DO NOTHING RETURNING at`,
    [integrationId, requestHash, JSON.stringify(answer)],
  );
  return rows.length > 0;
}

export async function findClick(
  tx: EnvironmentTransaction,
  integrationId: string,
  requestHash: Buffer,
): Promise<ClickAnswer | null> {
  const { rows } = await tx.raw<{ rows: { answer: ClickAnswer }[] }>(
    'SELECT answer FROM chat_clicks WHERE integration_id = ? AND request_hash = ?',
    [integrationId, requestHash],
  );
  return rows[0]?.answer ?? null;
}
