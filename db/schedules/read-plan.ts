import type { TemporalPlan } from '../../domain/schedules/schedules.ts';
import type { EnvironmentTransaction } from '../client.ts';

/** What Temporal must know of a schedule, and of which revision that is. */
export type ReadPlan = TemporalPlan & { revision: number; isDeleted: boolean };

/** Null where the row is gone. */
export async function readPlan(tx: EnvironmentTransaction, scheduleId: string): Promise<ReadPlan | null> {
  const { rows } = await tx.raw<{ rows: ReadPlan[] }>(
    `SELECT cron, timezone, catch_up_seconds AS "catchUpSeconds", paused, due_at AS "dueAt", revision, deleted_at IS NOT NULL AS "isDeleted"
     FROM schedules WHERE id = ?`,
    [scheduleId],
  );
  return rows[0] ?? null;
}
