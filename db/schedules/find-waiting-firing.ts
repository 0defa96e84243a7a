import type { EnvironmentTransaction } from '../client.ts';

/** The nominal time of the run that waits for a message of its schedule to end, or null. */
export async function findWaitingFiring(tx: EnvironmentTransaction, scheduleId: string): Promise<Date | null> {
  const { rows } = await tx.raw<{ rows: { nominalAt: Date }[] }>(
    `SELECT nominal_at AS "nominalAt" FROM schedule_runs WHERE schedule_id = ? AND outcome = 'waiting'`,
    [scheduleId],
  );
  return rows[0]?.nominalAt ?? null;
}
