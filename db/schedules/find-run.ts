import type { RunOutcome, RunTrigger } from '../../domain/schedules/schedules.ts';
import type { EnvironmentTransaction } from '../client.ts';

export interface FoundRun {
  outcome: RunOutcome;
  messageIds: string[];
  eventId: string | null;
}

/** The run of a firing, or null where none is recorded. */
export async function findRun(
  tx: EnvironmentTransaction,
  { scheduleId, trigger, nominalAt }: { scheduleId: string; trigger: RunTrigger; nominalAt: Date },
): Promise<FoundRun | null> {
  const { rows } = await tx.raw<{ rows: FoundRun[] }>(
    `SELECT outcome, message_ids AS "messageIds", event_id AS "eventId" FROM schedule_runs WHERE schedule_id = ? AND nominal_at = ? AND trigger = ?`,
    [scheduleId, nominalAt, trigger],
  );
  return rows[0] ?? null;
}
