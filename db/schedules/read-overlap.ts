import type { EnvironmentTransaction } from '../client.ts';

export interface Overlapping {
  /** A message of an earlier run that has not ended. A retry of a dead letter is no run. */
  messageId: string | null;
  /** The nominal time of the run that waits for its end. */
  waitingSince: Date | null;
}

/** What of a schedule is still on its way. */
export async function readOverlap(tx: EnvironmentTransaction, scheduleId: string): Promise<Overlapping> {
  const { rows } = await tx.raw<{ rows: Overlapping[] }>(
    `SELECT (SELECT m.id FROM messages m WHERE m.schedule_id = :scheduleId AND m.retry_of IS NULL
         AND m.status IN ('pending', 'scheduled', 'processing') LIMIT 1) AS "messageId",
       (SELECT r.nominal_at FROM schedule_runs r WHERE r.schedule_id = :scheduleId AND r.outcome = 'waiting') AS "waitingSince"`,
    { scheduleId },
  );
  const [row] = rows;
  if (row === undefined) throw new Error('a select without FROM answers one row');
  return row;
}
