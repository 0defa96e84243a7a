import type { EnvironmentTransaction } from '../client.ts';

/** Those of the slots that have no run, in their order in time. */
export async function findSlotsWithoutRun(
  tx: EnvironmentTransaction,
  scheduleId: string,
  slots: readonly Date[],
): Promise<Date[]> {
  if (slots.length === 0) return [];
  const { rows } = await tx.raw<{ rows: { at: Date }[] }>(
    `SELECT slot.at FROM unnest(CAST(:slots AS timestamptz[])) AS slot (at)
     WHERE NOT EXISTS (SELECT FROM schedule_runs r WHERE r.schedule_id = :scheduleId AND r.nominal_at = slot.at AND r.trigger = 'schedule')
     ORDER BY slot.at`,
    { scheduleId, slots: slots.map((slot) => slot.toISOString()) },
  );
  return rows.map(({ at }) => at);
}
