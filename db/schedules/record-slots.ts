import type { RunError } from '../../domain/schedules/schedules.ts';
import type { EnvironmentTransaction } from '../client.ts';

interface UnfiredSlots {
  scheduleId: string;
  slots: readonly Date[];
  outcome: 'missed' | 'skipped';
  error: RunError;
}

/** Records slots that nobody fired, but for those that have a run. Returns how many it recorded. */
export async function recordSlots(
  tx: EnvironmentTransaction,
  { scheduleId, slots, outcome, error }: UnfiredSlots,
): Promise<number> {
  if (slots.length === 0) return 0;
  const { rows } = await tx.raw<{ rows: unknown[] }>(
    `INSERT INTO schedule_runs (environment_id, schedule_id, trigger, nominal_at, outcome, error_code, error_message, fired_at)
     SELECT current_environment_id(), :scheduleId, 'schedule', slot.at, :outcome, :code, :message, clock_timestamp()
     FROM unnest(CAST(:slots AS timestamptz[])) AS slot (at)
     ON CONFLICT (schedule_id, nominal_at, trigger) DO NOTHING RETURNING nominal_at`,
    { scheduleId, outcome, ...error, slots: slots.map((slot) => slot.toISOString()) },
  );
  return rows.length;
}
