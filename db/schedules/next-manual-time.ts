import type { EnvironmentTransaction } from '../client.ts';

/** The nominal time of a run by hand: now, and later than the last one, the schedule's row being locked. */
export async function nextManualTime(tx: EnvironmentTransaction, scheduleId: string): Promise<Date> {
  const { rows } = await tx.raw<{ rows: { nominalAt: Date }[] }>(
    `SELECT GREATEST(date_trunc('milliseconds', clock_timestamp()), max(nominal_at) + interval '1 millisecond') AS "nominalAt"
     FROM schedule_runs WHERE schedule_id = ? AND trigger = 'manual'`,
    [scheduleId],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('an aggregate answers one row');
  return row.nominalAt;
}
