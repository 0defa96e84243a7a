import { isLiveMessage, type MessageStatus } from '../messages/messages.ts';
import type { RunOutcome } from '../schedules/schedules.ts';

/** How far what a run published has got. */
export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed', 'cancelled'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/**
 * Sums the statuses of several messages up: `pending` while one has not ended, else `failed` if one failed, else `cancelled` if one was
 * cancelled, else `delivered`. Returns null for no message: nothing was published, or nothing of it is kept.
 */
export function deliveryStatusOf(statuses: readonly MessageStatus[]): DeliveryStatus | null {
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
