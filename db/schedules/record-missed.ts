import { MISSED_CODE } from '../../domain/schedules/schedules.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { recordSlots } from './record-slots.ts';

/** Records slots that nobody fired in time, but for those that have a run. Returns how many it recorded. */
export async function recordMissed(
  tx: EnvironmentTransaction,
  { scheduleId, slots, catchUpSeconds }: { scheduleId: string; slots: readonly Date[]; catchUpSeconds: number },
): Promise<number> {
  const message = `The scheduler was away: no firing came within ${catchUpSeconds} s of this slot, which is the catch-up of the schedule.`;
  return recordSlots(tx, { scheduleId, slots, outcome: 'missed', error: { code: MISSED_CODE, message } });
}
