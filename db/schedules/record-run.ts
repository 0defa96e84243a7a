import type { RunError, RunOutcome, RunTrigger } from '../../domain/schedules/schedules.ts';
import { RUNS_KEPT, RUNS_KEPT_SECONDS } from '../../domain/schedules/schedules.ts';
import type { EnvironmentTransaction } from '../client.ts';

export interface Run {
  scheduleId: string;
  trigger: RunTrigger;
  nominalAt: Date;
  outcome: RunOutcome;
  messageIds: readonly string[];
  /** The event that it published, where the destination is a topic. */
  eventId?: string | null;
  error: RunError | null;
  /**
   * The slot after this one, which becomes the row's `due_at`; undefined leaves that unchanged. It also stays unchanged while Temporal may
   * not know the revision, or while an earlier slot is overdue beyond the catch-up: it may be the only trace of missed slots. A paused
   * schedule expects no slot: a run that waited is recorded also after the pause.
   */
  dueAt?: Date | null;
}

/**
 * Records what became of a firing, the schedule's row being locked. A run that was queued, waited or was missed gets its outcome; any other
 * one is recorded once. The oldest runs beyond the ones that are kept are deleted, an hour after they fired: until then a firing that is
 * tried again finds its run.
 */
export async function recordRun(tx: EnvironmentTransaction, run: Run): Promise<void> {
  const { scheduleId, trigger, nominalAt, outcome } = run;
  await tx.raw(
    `INSERT INTO schedule_runs AS r (environment_id, schedule_id, trigger, nominal_at, outcome, message_ids, event_id, error_code, error_message, fired_at)
     VALUES (current_environment_id(), :scheduleId, :trigger, :nominalAt, :outcome, CAST(:messageIds AS text[]), :eventId, :code, :message, clock_timestamp())
     ON CONFLICT (schedule_id, nominal_at, trigger) DO UPDATE SET outcome = EXCLUDED.outcome, message_ids = EXCLUDED.message_ids, event_id = EXCLUDED.event_id,
       error_code = EXCLUDED.error_code, error_message = EXCLUDED.error_message, fired_at = EXCLUDED.fired_at
       WHERE r.outcome IN ('queued', 'waiting', 'missed')`,
    {
      scheduleId,
      trigger,
      nominalAt,
      outcome,
      messageIds: run.messageIds,
      eventId: run.eventId ?? null,
      code: run.error?.code ?? null,
      message: run.error?.message ?? null,
    },
  );
  await tx.raw(
    `UPDATE schedules SET last_run_at = CASE WHEN :hasRun THEN GREATEST(last_run_at, clock_timestamp()) ELSE last_run_at END,
       due_at = CASE WHEN :expects AND NOT paused AND told_revision = revision
           AND COALESCE(due_at >= LEAST(CAST(:nominalAt AS timestamptz), now() - make_interval(secs => catch_up_seconds)), true)
         THEN GREATEST(due_at, CAST(:dueAt AS timestamptz)) ELSE due_at END
     WHERE id = :scheduleId`,
    {
      scheduleId,
      nominalAt,
      hasRun: outcome === 'published' || outcome === 'failed',
      expects: run.dueAt !== undefined,
      dueAt: run.dueAt ?? null,
    },
  );
  await tx.raw(
    `DELETE FROM schedule_runs WHERE schedule_id = :scheduleId AND outcome NOT IN ('queued', 'waiting')
       AND fired_at < now() - make_interval(secs => :keptSeconds) AND nominal_at < (
       SELECT k.nominal_at FROM schedule_runs k WHERE k.schedule_id = :scheduleId ORDER BY k.nominal_at DESC OFFSET :kept LIMIT 1)`,
    { scheduleId, kept: RUNS_KEPT - 1, keptSeconds: RUNS_KEPT_SECONDS },
  );
}
