import type { EnvironmentTransaction } from '../../db/client.ts';
import { noteIfOfBudget } from '../../db/budgets/admission.ts';
import { countWaiting } from '../../db/dead-letters/job-pages.ts';
import { advanceJob, endJob, type JobReason, type JobRecord, lockJob, noteLook } from '../../db/dead-letters/jobs.ts';
import { readHalt } from '../../db/environments/halt.ts';
import { NoRoomForKeysError } from '../../db/flow-control/changes.ts';
import { acceptMessages, type Published } from '../../db/messages/accept/accept-messages.ts';
import type { MessageDraft } from '../../db/messages/accept/candidates.ts';
import {
  type DeadLetterJobRef,
  type JobStep,
  RETRY_PAGE_BYTES_MAX,
  RETRY_WAITING_MAX,
} from '../../domain/dead-letters/dead-letters.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { refusesContent } from '../refuses-content.ts';
import { RecordGone } from '../../domain/record-gone.ts';

/** The pages of jobs that publish messages again: of dead letters, and of the failed deliveries of a subscription. */
export type PageDependencies = Pick<ActivityDependencies, 'db' | 'vault' | 'logger'>;

export interface PageOutcome {
  next: 'page';
  published: readonly Published[];
  /** Records that could not be published again. */
  failed: number;
  afterId: string;
}

/** Takes the next page of a job that the transaction has locked and that has not ended. Returns null when no page is left. */
export type TakePage = (
  tx: EnvironmentTransaction,
  deps: PageDependencies,
  ref: DeadLetterJobRef,
  job: JobRecord,
  pageSize: number,
) => Promise<JobStep | PageOutcome | null>;

/** Refusals that end a job: the workspace or the key may make no more messages. Any other failure is tried again. */
const ENDING_CODES: readonly string[] = ['QUOTA_EXCEEDED', 'BUDGET_EXCEEDED', 'BUDGET_RECONCILIATION_REQUIRED'];

/** The messages of a page cannot be accepted, however often they are tried. */
class PageRefused extends Error {
  readonly afterId: string;

  constructor(afterId: string, cause: unknown) {
    super('the messages of a page were refused', { cause });
    this.afterId = afterId;
  }
}

/**
 * Publishes one page of a job: a page that is refused is halved, down to one record, so that one bad record stops no other. The messages, the
 * fence of each record, and the job's counters and cursor are one transaction, so each record is published once; the claimers deliver.
 */
export function publishPage(deps: PageDependencies, pageSize: number, takePage: TakePage) {
  return (ref: DeadLetterJobRef): Promise<JobStep> => nextPage(deps, ref, pageSize, takePage);
}

async function nextPage(
  deps: PageDependencies,
  ref: DeadLetterJobRef,
  pageSize: number,
  takePage: TakePage,
): Promise<JobStep> {
  for (let size = pageSize; ; size = Math.floor(size / 2)) {
    try {
      return await deps.db.withEnvironment(ref, (tx) => take(tx, deps, ref, size, takePage));
    } catch (error) {
      const isRefused = error instanceof PageRefused;
      if (!isRefused && !(error instanceof ServiceError && ENDING_CODES.includes(error.code))) throw error;
      if (size > 1) continue;
      if (isRefused) return await passOver(deps, ref, error);
      const reason = { code: error.code, message: error.publicMessage };
      return await deps.db.withEnvironment(ref, async (tx) => {
        const job = await lockJob(tx, ref.jobId, [ref.kind]);
        await noteIfOfBudget(tx, error);
        return job !== null && job.endedAt !== null
          ? { next: 'end', status: job.status }
          : failJob(tx, ref.jobId, reason);
      });
    }
  }
}

/** Counts the one record of a page as failed, and goes on behind it. The record stays where it is. */
async function passOver(
  deps: PageDependencies,
  ref: DeadLetterJobRef,
  { afterId, cause }: PageRefused,
): Promise<JobStep> {
  const { jobId, kind } = ref;
  deps.logger.error({ jobId, messageId: afterId, err: cause }, 'a message could not be published again by its job');
  return deps.db.withEnvironment(ref, async (tx) => {
    const job = await lockJob(tx, jobId, [kind]);
    if (job !== null && job.endedAt !== null) return { next: 'end', status: job.status };
    // Otherwise another run has passed it meanwhile.
    if (job !== null && job.afterId < afterId)
      await advanceJob(tx, jobId, { done: 0, failed: 1, afterId, pageIds: [] });
    return { next: 'go on' };
  });
}

/** Ends a job that the same transaction has locked. What it has not reached stays. */
export async function failJob(tx: EnvironmentTransaction, jobId: string, reason: JobReason): Promise<JobStep> {
  await endJob(tx, jobId, 'failed', reason);
  return { next: 'end', status: 'failed' };
}

async function take(
  tx: EnvironmentTransaction,
  deps: PageDependencies,
  ref: DeadLetterJobRef,
  pageSize: number,
  takePage: TakePage,
): Promise<JobStep> {
  const job = await lockJob(tx, ref.jobId, [ref.kind]);
  if (job === null) throw new RecordGone(`job ${ref.jobId} is not there`);
  if (job.endedAt !== null) return { next: 'end', status: job.status };
  const page = await takePage(tx, deps, ref, job, pageSize);
  if (page === null) {
    await endJob(tx, job.id, 'completed');
    return { next: 'end', status: 'completed' };
  }
  if (page.next !== 'page') return page;
  const { published, failed, afterId } = page;
  const pageIds = published.map(({ messageId }) => messageId);
  await advanceJob(tx, job.id, { done: published.length, failed, afterId, pageIds });
  return { next: 'go on' };
}

/** Why the next page cannot begin now; null where it can. */
export async function waitOf(tx: EnvironmentTransaction, job: JobRecord): Promise<JobStep | null> {
  const halt = job.publishesWhileHalted ? null : await readHalt(tx);
  if (halt !== null) {
    const message = `The environment is halted: ${halt.reason}. The job goes on when it is resumed.`;
    await noteLook(tx, job.id, { code: 'environment_halted', message });
    return { next: 'wait', why: 'halted' };
  }
  if ((await countWaiting(tx, job.pageIds)) <= RETRY_WAITING_MAX) return null;
  await noteLook(tx, job.id, null);
  return { next: 'wait', why: 'deliveries' };
}

/** Publishes the messages of a page, in the name of the job's creator. `afterId`: the last record of the page. */
export async function publishDrafts(
  tx: EnvironmentTransaction,
  deps: PageDependencies,
  ref: DeadLetterJobRef,
  { requestedBy: publishedBy, apiKeyId, publishesWhileHalted }: JobRecord,
  { drafts, afterId }: { drafts: readonly MessageDraft[]; afterId: string },
): Promise<readonly Published[]> {
  if (drafts.length === 0) return [];
  const publisher = { tenant: ref, publishedBy, apiKeyId, publishesWhileHalted };
  try {
    return await acceptMessages(tx, deps.vault, publisher, drafts);
  } catch (error) {
    const isRefused = refusesContent(error) || error instanceof NoRoomForKeysError;
    throw isRefused ? new PageRefused(afterId, error) : error;
  }
}

/** As many as may be held in memory together, at least one. */
export function withinBytes<T extends { bytes: number }>(page: readonly T[]): T[] {
  let sum = 0;
  const end = page.findIndex(({ bytes }) => (sum += bytes) > RETRY_PAGE_BYTES_MAX);
  return page.slice(0, end === -1 ? page.length : Math.max(1, end));
}
