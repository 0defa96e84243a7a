import type { EnvironmentTransaction } from '../../db/client.ts';
import { type JobRecord, setTotal } from '../../db/dead-letters/jobs.ts';
import { deliveryDraft, findTarget, type LiveTarget } from '../../db/events/fan-out.ts';
import {
  countFailedDeliveries,
  type FailedDelivery,
  findFailedDeliveries,
  readEvents,
} from '../../db/events/deliveries.ts';
import type { MessageDraft } from '../../db/messages/accept/candidates.ts';
import { type DeadLetterJobRef, type JobStep, RETRY_PAGE_SIZE } from '../../domain/dead-letters/dead-letters.ts';
import {
  failJob,
  type PageDependencies,
  type PageOutcome,
  publishDrafts,
  publishPage,
  waitOf,
  withinBytes,
} from '../dead-letters/job-page.ts';

/**
 * Delivers one page of a subscription's failed deliveries again, to its present URL with its present headers and secret. A failed
 * delivery is taken once, because the message that delivers it again names it, in the same transaction.
 */
export function recoverSubscriptionPage(deps: PageDependencies, pageSize = RETRY_PAGE_SIZE) {
  return publishPage(deps, pageSize, takePage);
}

async function takePage(
  tx: EnvironmentTransaction,
  deps: PageDependencies,
  ref: DeadLetterJobRef,
  job: JobRecord,
  pageSize: number,
): Promise<JobStep | PageOutcome | null> {
  const target = job.subscriptionId === null ? null : await findTarget(tx, job.subscriptionId);
  // What was delivered again before stays so.
  if (target === null || !target.enabled) return failJob(tx, job.id, target === null ? DELETED : DISABLED);
  if (job.total === null) await setTotal(tx, job.id, await countFailedDeliveries(tx, job));
  const wait = await waitOf(tx, job);
  if (wait !== null) return wait;
  const page = withinBytes(await findFailedDeliveries(tx, job, pageSize));
  const last = page.at(-1);
  if (last === undefined) return null;
  const events = await readEvents(tx, [...new Set(page.map(({ eventId }) => eventId))]);
  const drafts = draftsOf(deps, ref, { page, events, target });
  if (drafts === null) return failJob(tx, job.id, UNOPENED);
  const published = await publishDrafts(tx, deps, ref, job, { drafts, afterId: last.id });
  return { next: 'page', published, failed: page.length - drafts.length, afterId: last.id };
}

/** Null where the headers of the subscription do not open: none of its deliveries can be made. */
function draftsOf(
  { vault, logger }: Pick<PageDependencies, 'vault' | 'logger'>,
  ref: DeadLetterJobRef,
  {
    page,
    events,
    target,
  }: { page: readonly FailedDelivery[]; events: Awaited<ReturnType<typeof readEvents>>; target: LiveTarget },
): MessageDraft[] | null {
  try {
    return page.flatMap(({ id: retryOf, eventId }) => {
      const event = events.get(eventId);
      return event === undefined ? [] : [deliveryDraft(vault, ref, { event, target, retryOf })];
    });
  } catch (error) {
    const context = { jobId: ref.jobId, subscriptionId: target.id, err: error };
    logger.error(context, 'a subscription cannot be recovered: its headers do not open');
    return null;
  }
}

const DELETED = { code: 'subscription_deleted', message: 'The subscription is deleted.' };
const DISABLED = {
  code: 'subscription_disabled',
  message: 'The subscription is disabled. Enable it, then recover it again from the same time.',
};
const UNOPENED = {
  code: 'headers_unopened',
  message:
    'The sealed headers of the subscription do not open. Give them anew, then recover it again from the same time.',
};
