import { parseCron } from '../../domain/schedules/cron.ts';
import { firedFrom, MISSED_SLOTS_MAX, type TemporalPlan } from '../../domain/schedules/schedules.ts';
import { isSlot, slotsBetween } from '../../domain/schedules/slots.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { recordMissed } from './record-missed.ts';
import { recordSlots } from './record-slots.ts';

type Times = Pick<TemporalPlan, 'cron' | 'timezone' | 'paused'>;

/**
 * Records what became of the slots that came before a change and have no run, the schedule's row being locked: the change sets `due_at` anew,
 * which was the only trace of them. Older ones than the catch-up were missed. Younger ones are skipped: the pause or the new times
 * refuse their firing. Where the new times name such a slot too, its firing still publishes it, and nothing is recorded.
 */
export async function recordUnfired(
  tx: EnvironmentTransaction,
  { id: scheduleId, ...before }: TemporalPlan & { id: string },
  after: Times,
): Promise<void> {
  const { cron, timezone, catchUpSeconds, dueAt, paused } = before;
  const now = new Date();
  if (paused || dueAt === null || dueAt > now || isSameTimes(before, after)) return;
  const slots = slotsBetween(parseCron(cron), timezone, [dueAt, now], MISSED_SLOTS_MAX);
  const from = firedFrom(before, now);
  await recordMissed(tx, { scheduleId, slots: slots.filter((slot) => slot < from), catchUpSeconds });
  const named = parseCron(after.cron);
  const refused = slots.filter((slot) => slot >= from && (after.paused || !isSlot(named, after.timezone, slot)));
  const error = after.paused
    ? { code: 'PAUSED', message: 'The schedule was paused before this slot was fired.' }
    : { code: 'CHANGED', message: 'The times of the schedule were changed before this slot was fired.' };
  await recordSlots(tx, { scheduleId, slots: refused, outcome: 'skipped', error });
}

function isSameTimes(before: Times, after: Times): boolean {
  return before.cron === after.cron && before.timezone === after.timezone && before.paused === after.paused;
}
