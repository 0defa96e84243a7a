import {
  acceptDeliveries,
  advanceFanOut,
  endFanOut,
  type FanOutWork,
  firstDeliveryDraft,
  listTargets,
  lockEvent,
  type SubscriptionTarget,
} from '../../db/events/fan-out.ts';
import type { EnvironmentTransaction } from '../../db/client.ts';
import type { MessageDraft } from '../../db/messages/accept/candidates.ts';
import { ServiceError } from '../../domain/errors.ts';
import {
  type EventRef,
  FAN_OUT_PAGE_BYTES_MAX,
  FAN_OUT_PAGE_SIZE,
  type FanOutStep,
  matchesEventType,
} from '../../domain/events/events.ts';
import type { ActivityDependencies } from '../dependencies.ts';

type PageDependencies = Pick<ActivityDependencies, 'db' | 'vault' | 'logger'>;

/**
 * Makes the messages of one page of subscriptions, and moves the event's counter and cursor, in one transaction: each subscription gets one
 * message, which the claimers deliver.
 */
export function fanOutPage(deps: PageDependencies, pageSize = FAN_OUT_PAGE_SIZE) {
  return async (ref: EventRef): Promise<FanOutStep> => nextPage(deps, ref, pageSize);
}

/** Takes the next page, or a smaller one where the allowance does not suffice for all of it. What is left of it is used up first. */
async function nextPage(deps: PageDependencies, ref: EventRef, pageSize: number): Promise<FanOutStep> {
  for (let size = pageSize; ; size = Math.floor(size / 2)) {
    try {
      return await deps.db.withEnvironment(ref, (tx) => takePage(tx, deps, ref, size));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (size > 1) continue;
      const reason = { code: error.code, message: error.publicMessage };
      return await deps.db.withEnvironment(ref, (tx) => end(tx, ref, reason));
    }
  }
}

async function end(
  tx: EnvironmentTransaction,
  ref: EventRef,
  error: { code: string; message: string } | null,
): Promise<FanOutStep> {
  await endFanOut(tx, ref.eventId, error);
  const event = await lockEvent(tx, ref.eventId);
  return event === null ? GONE : endOf(event);
}

/** Its topic was deleted, and the event with it. */
const GONE: FanOutStep = { next: 'end', status: 'fanned_out', deliveries: 0 };

function endOf({ status, deliveries }: FanOutWork): FanOutStep {
  if (status === 'fanning_out') throw new Error('a fan-out that goes on has not ended');
  return { next: 'end', status, deliveries };
}

async function takePage(
  tx: EnvironmentTransaction,
  deps: Pick<PageDependencies, 'vault' | 'logger'>,
  ref: EventRef,
  pageSize: number,
): Promise<FanOutStep> {
  const event = await lockEvent(tx, ref.eventId);
  if (event === null) return GONE;
  if (event.status !== 'fanning_out') return endOf(event);
  const page = event.isTopicDeleted ? [] : await listTargets(tx, event, withinBytes(event, pageSize));
  const last = page.at(-1);
  if (last === undefined) return end(tx, ref, event.unmade === 0 ? null : unopened(event.unmade));
  const matching = page.filter(({ enabled, eventTypes }) => enabled && matchesEventType(eventTypes, event.type));
  const drafts = matching.flatMap((target) => draftOf(deps, ref, event, target) ?? []);
  const published = drafts.length === 0 ? [] : await acceptDeliveries(tx, deps.vault, ref, event, drafts);
  const made = published.length;
  await advanceFanOut(tx, event.id, { afterId: last.id, made, unmade: matching.length - drafts.length });
  return { next: 'go on' };
}

/** Null where the sealed headers of the subscription do not open: their master key is lost, for one. It holds up no other subscription. */
function draftOf(
  { vault, logger }: Pick<PageDependencies, 'vault' | 'logger'>,
  ref: EventRef,
  event: FanOutWork,
  target: SubscriptionTarget,
): MessageDraft | null {
  try {
    return firstDeliveryDraft(vault, ref, { event, target });
  } catch (error) {
    const context = { ...ref, subscriptionId: target.id, err: error };
    logger.error(context, 'a subscription gets no message of an event: its headers do not open');
    return null;
  }
}

function unopened(count: number): { code: string; message: string } {
  const subscriptions =
    count === 1 ? '1 subscription got no message: its' : `${count} subscriptions got no message: their`;
  return { code: 'INTERNAL_ERROR', message: `${subscriptions} sealed headers do not open. Give them anew.` };
}

/** As many as may be held in memory together, at least one. */
function withinBytes({ data }: FanOutWork, pageSize: number): number {
  const most = Math.floor(FAN_OUT_PAGE_BYTES_MAX / (JSON.stringify(data).length + 1));
  return Math.min(pageSize, Math.max(1, most));
}
