import { isLiveMessage, type MessageStatus } from '../messages/messages.ts';
import type { RunOutcome } from '../schedules/schedules.ts';

/** How far what a run published has got. */
export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed', 'cancelled'] as const;
/**
 * `pending` while one message has not ended, else `failed`, `cancelled`, `delivered`, in this order. Null without a message.
 */
export function deliveryStatusOf(statuses: readonly MessageStatus[]): (typeof DELIVERY_STATUSES)[number] | null {
  if (statuses.length === 0) return null;
  if (statuses.some(isLiveMessage)) return 'pending';
  if (statuses.includes('failed')) return 'failed';
  return statuses.includes('cancelled') ? 'cancelled' : 'delivered';
}

/** From the time at which a run was due until it published, in ms. Null for a run that published nothing. */
export function latenessOf({
  outcome,
  nominalAt,
  firedAt,
}: {
  outcome: RunOutcome;
  nominalAt: Date;
  firedAt: Date;
}): number | null {
  return outcome === 'published' ? Math.max(0, firedAt.getTime() - nominalAt.getTime()) : null;
}
