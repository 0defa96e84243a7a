/**
 * The kinds of call of a workflow that count against a cap of their workspace. A replay is a dispatch. A notification is an e-mail, or the
 * post of an approval to a chat. Maintenance is a page of a job or of a fan-out. A call above the cap waits in the workspace's queue without a
 * worker's slot. Deliveries count likewise, and are claimed (docs/messages.md, "How it runs").
 */
export type InFlightKind = 'dispatch' | 'provider_read' | 'notification' | 'maintenance';

/** How many of each kind a workspace may have in flight, in all its environments and on all workers. */
export type InFlightCaps = Readonly<Record<InFlightKind | 'delivery', number>>;

/** An activity's answer without a place. It did nothing: ask again after this time, or when signalled. */
export interface NoPlace {
  seen: 'no_place';
  lookAgainMs: number;
}

/** The place of a holder that died is free so long after the time-out of its call: the database before and after the call. */
const LEASE_MARGIN_MS = 60_000;
/**
 * The time within which a waiting call claims a place that it was granted. After that it waits again in its old position, and is granted
 * and told again: a signal may be lost (Temporal was away, the teller crashed), and until then the place is idle.
 */
export const GRANT_LEASE_MS = 15_000;
/** A waiter that was told of so many grants and let them lapse is gone. One that it could not be told of does not count (`tellNext`). */
export const UNCLAIMED_GRANTS_MAX = 120;
/**
 * A waiter is told, again and again until it comes. It also looks by itself, this seldom, because a failover may have lost that it waits;
 * each look costs its history some events.
 */
export const LOOK_AGAIN_MS = 30 * 60_000;

/** Somebody who waited for a place and was granted it. */
export interface Granted {
  workspaceId: string;
  environmentId: string;
  holder: string;
}

/** The holder of a place that its workflow waits for by itself: the workflow, and which part of its work the place is for. */
export function holderOf(workflowId: string, part: string | number): string {
  return `${workflowId}#${part}`;
}

/** The workflow of such a holder. */
export function workflowOfHolder(holder: string): string {
  return holder.slice(0, holder.lastIndexOf('#'));
}

export function placeLeaseMs(timeoutMs: number): number {
  return timeoutMs + LEASE_MARGIN_MS;
}

/** Whether an activity was refused a place. */
export function isWithoutPlace(answer: unknown): answer is NoPlace {
  return typeof answer === 'object' && answer !== null && 'seen' in answer && answer.seen === 'no_place';
}
