import { parseCron } from '../../domain/schedules/cron.ts';
import { firedFrom, MISSED_SLOTS_MAX, type TemporalPlan } from '../../domain/schedules/schedules.ts';
import { isSlot, slotsBetween } from '../../domain/schedules/slots.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { findSlotsWithoutRun } from './find-slots-without-run.ts';
import { recordMissed } from './record-missed.ts';
import { recordSlots } from './record-slots.ts';

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
