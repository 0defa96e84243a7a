import type { EnvironmentTransaction } from '../client.ts';

/**
 * Whether a schedule was paused or its environment halted at a time that has passed. Call it behind the row lock and `readHalt`: a halt that
 * still lasts is theirs to find.
 */
export async function findStop(
  tx: EnvironmentTransaction,
  scheduleId: string,
  at: Date,
): Promise<'paused' | 'halted' | null> {
  const { rows } = await tx.raw<{ rows: { paused: boolean; halted: boolean }[] }>(
    `SELECT s.pauses @> CAST(:at AS timestamptz) AS paused, e.halts @> CAST(:at AS timestamptz) AS halted
     FROM schedules s JOIN environments e ON e.id = s.environment_id WHERE s.id = :scheduleId`,
    { scheduleId, at: at.toISOString() },
  );
  const [row] = rows;
  if (row === undefined) throw new Error(`schedule ${scheduleId} was locked and is gone`);
  if (row.paused) return 'paused';
  return row.halted ? 'halted' : null;
}
