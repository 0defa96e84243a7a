import { MISSED_CODE } from '../../domain/schedules/schedules.ts';
import type { EnvironmentTransaction } from '../client.ts';

/** Records slots that nobody fired in time, but for those that have a run. Returns how many it recorded. */
export async function recordMissed(
  tx: EnvironmentTransaction,
  { scheduleId, slots, catchUpSeconds }: { scheduleId: string; slots: readonly Date[]; catchUpSeconds: number },
): Promise<number> {
  if (slots.length === 0) return 0;
  const { rows } = await tx.raw<{ rows: unknown[] }>(
    `INSERT INTO schedule_runs (environment_id, schedule_id, trigger, nominal_at, outcome, error_code, error_message, fired_at)
     SELECT current_environment_id(), :scheduleId, 'schedule', slot.at, 'missed', :code, :message, clock_timestamp()
     FROM unnest(CAST(:slots AS timestamptz[])) AS slot (at)
     ON CONFLICT (schedule_id, nominal_at, trigger) DO NOTHING RETURNING nominal_at`,
    {
      scheduleId,
      code: MISSED_CODE,
      message: `The scheduler was away: no firing came within ${catchUpSeconds} s of this slot, which is the catch-up of the schedule.`,
      slots: slots.map((slot) => slot.toISOString()),
    },
  );
  return rows.length;
}
