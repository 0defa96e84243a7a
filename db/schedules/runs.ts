import {
  firedFrom,
  MISSED_CODE,
  MISSED_SLOTS_MAX,
  type RunError,
  type RunOutcome,
  RUNS_KEPT,
  RUNS_KEPT_SECONDS,
  type RunTrigger,
  type TemporalPlan,
} from '../../domain/schedules/schedules.ts';
import { parseCron } from '../../domain/schedules/cron.ts';
import { isSlot, slotsBetween } from '../../domain/schedules/slots.ts';
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
    'record_run',
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
    'record_run_2',
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
    'record_run_3',
    `DELETE FROM schedule_runs WHERE schedule_id = :scheduleId AND outcome NOT IN ('queued', 'waiting')
       AND fired_at < now() - make_interval(secs => :keptSeconds) AND nominal_at < (
       SELECT k.nominal_at FROM schedule_runs k WHERE k.schedule_id = :scheduleId ORDER BY k.nominal_at DESC OFFSET :kept LIMIT 1)`,
    { scheduleId, kept: RUNS_KEPT - 1, keptSeconds: RUNS_KEPT_SECONDS },
  );
}

interface UnfiredSlots {
  scheduleId: string;
  slots: readonly Date[];
  outcome: 'missed' | 'skipped';
  error: RunError;
}

/** Records slots that nobody fired, but for those that have a run. Returns how many it recorded. */
async function recordSlots(
  tx: EnvironmentTransaction,
  { scheduleId, slots, outcome, error }: UnfiredSlots,
): Promise<number> {
  if (slots.length === 0) return 0;
  const rows = await tx.rows<unknown>(
    'record_slots',
    `INSERT INTO schedule_runs (environment_id, schedule_id, trigger, nominal_at, outcome, error_code, error_message, fired_at)
     SELECT current_environment_id(), :scheduleId, 'schedule', slot.at, :outcome, :code, :message, clock_timestamp()
     FROM unnest(CAST(:slots AS timestamptz[])) AS slot (at)
     ON CONFLICT (schedule_id, nominal_at, trigger) DO NOTHING RETURNING nominal_at`,
    { scheduleId, outcome, ...error, slots: slots.map((slot) => slot.toISOString()) },
  );
  return rows.length;
}

/** Records slots that nobody fired in time, but for those that have a run. Returns how many it recorded. */
export async function recordMissed(
  tx: EnvironmentTransaction,
  { scheduleId, slots, catchUpSeconds }: { scheduleId: string; slots: readonly Date[]; catchUpSeconds: number },
): Promise<number> {
  const message = `The scheduler was away: no firing came within ${catchUpSeconds} s of this slot, which is the catch-up of the schedule.`;
  return recordSlots(tx, { scheduleId, slots, outcome: 'missed', error: { code: MISSED_CODE, message } });
}

/** Those of the slots that have no run, in their order in time. */
async function findSlotsWithoutRun(
  tx: EnvironmentTransaction,
  scheduleId: string,
  slots: readonly Date[],
): Promise<Date[]> {
  if (slots.length === 0) return [];
  const rows = await tx.rows<{ at: Date }>(
    'find_slots_without_run',
    `SELECT slot.at FROM unnest(CAST(:slots AS timestamptz[])) AS slot (at)
     WHERE NOT EXISTS (SELECT FROM schedule_runs r WHERE r.schedule_id = :scheduleId AND r.nominal_at = slot.at AND r.trigger = 'schedule')
     ORDER BY slot.at`,
    { scheduleId, slots: slots.map((slot) => slot.toISOString()) },
  );
  return rows.map(({ at }) => at);
}

type Times = Pick<TemporalPlan, 'cron' | 'timezone' | 'paused'>;
type Schedule = TemporalPlan & { id: string };

/**
 * Settles the slots that came before a change of the times and have no run, the schedule's row being locked: the change sets `due_at`
 * anew, which was the only trace of them. Older ones than the catch-up were missed. Younger ones are skipped, for the pause or the new
 * times refuse their firing; but those that the new times name too stay expected. Returns the first of these, or null.
 */
export async function recordUnfired(
  tx: EnvironmentTransaction,
  before: Schedule,
  after: Times,
  now: Date,
): Promise<Date | null> {
  const { id: scheduleId, catchUpSeconds, dueAt, paused } = before;
  if (paused || dueAt === null || dueAt > now || isSameTimes(before, after)) return null;
  const from = firedFrom(before, now);
  // The slot of this very millisecond has come too: what is due next is later.
  const until = new Date(now.getTime() + 1);
  const missed = dueAt < from ? slotsOf(before, dueAt, from) : [];
  await recordMissed(tx, { scheduleId, slots: missed, catchUpSeconds });
  const young = slotsOf(before, dueAt < from ? from : dueAt, until);
  const expected = await stillExpected(tx, before, after, { slots: young, until });
  const error = after.paused
    ? { code: 'PAUSED', message: 'The schedule was paused before this slot was fired.' }
    : { code: 'CHANGED', message: 'The times of the schedule were changed before this slot was fired.' };
  const isNamed = naming(after);
  const refused = young.filter((slot) => expected === null || slot < expected || !isNamed(slot));
  await recordSlots(tx, { scheduleId, slots: refused, outcome: 'skipped', error });
  return expected;
}

/**
 * The first slot without a run that both times name: from it on, Temporal is told to fire the new times. Slots that only these name came
 * before they were given, and are recorded as skipped, so that they are not made up. Null where these are too many to record.
 */
async function stillExpected(
  tx: EnvironmentTransaction,
  before: Schedule,
  after: Times,
  { slots, until }: { slots: readonly Date[]; until: Date },
): Promise<Date | null> {
  if (after.paused) return null;
  const shared = slots.filter(naming(after));
  const [first] = await findSlotsWithoutRun(tx, before.id, shared);
  if (first === undefined) return null;
  const named = slotsOf(after, first, until, MISSED_SLOTS_MAX + 1);
  if (named.length > MISSED_SLOTS_MAX) return null;
  const error = { code: 'CHANGED', message: 'The schedule was given the time of this slot after it.' };
  const wasNamed = naming(before);
  const newOnes = named.filter((slot) => !wasNamed(slot));
  await recordSlots(tx, { scheduleId: before.id, slots: newOnes, outcome: 'skipped', error });
  return first;
}

const slotsOf = ({ cron, timezone }: Times, from: Date, before: Date, most = MISSED_SLOTS_MAX): Date[] =>
  slotsBetween(parseCron(cron), timezone, [from, before], most);

/** Whether these times name a slot. Their expression is parsed once. */
function naming({ cron, timezone }: Times): (slot: Date) => boolean {
  const parsed = parseCron(cron);
  return (slot) => isSlot(parsed, timezone, slot);
}

function isSameTimes(before: Times, after: Times): boolean {
  return before.cron === after.cron && before.timezone === after.timezone && before.paused === after.paused;
}
