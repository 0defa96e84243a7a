import type { EnvironmentTransaction } from '../../db/client.ts';
import { deleteDeadLetters, originalRequest, originOf, readFailedMessages } from '../../db/dead-letters/retries.ts';
import { countJobRecords, findRetryPage } from '../../db/dead-letters/job-pages.ts';
import { type JobRecord, setTotal } from '../../db/dead-letters/jobs.ts';
import type { MessageDraft } from '../../db/messages/accept/candidates.ts';
import { type DeadLetterJobRef, type JobStep, RETRY_PAGE_SIZE } from '../../domain/dead-letters/dead-letters.ts';
import { retryRequest } from '../../domain/dead-letters/retry-request.ts';
import {
  type PageDependencies,
  type PageOutcome,
  publishDrafts,
  publishPage,
  waitOf,
  withinBytes,
} from './job-page.ts';

/** Retries one page of dead letters. The transaction that deletes a record owns it, so each is retried once (job-page.ts). */
export function retryDeadLetterPage(deps: PageDependencies, pageSize = RETRY_PAGE_SIZE) {
  return publishPage(deps, pageSize, takePage);
}

async function takePage(
  tx: EnvironmentTransaction,
  deps: PageDependencies,
  ref: DeadLetterJobRef,
  job: JobRecord,
  pageSize: number,
): Promise<JobStep | PageOutcome | null> {
  if (job.total === null) await setTotal(tx, job.id, await countJobRecords(tx, job));
  const wait = await waitOf(tx, job);
  if (wait !== null) return wait;
  const ids = withinBytes(await findRetryPage(tx, job, pageSize)).map(({ id }) => id);
  const afterId = ids.at(-1);
  if (afterId === undefined) return null;
  const { drafts, failed } = await draftsOf(tx, deps, ref, ids);
  // The transaction that deletes a record owns it: a record that was retried or deleted meanwhile makes no message here.
  const deleted = new Set(await deleteDeadLetters(tx, [...drafts.keys()]));
  const taken = [...drafts].flatMap(([id, draft]) => (deleted.has(id) ? [draft] : []));
  const published = await publishDrafts(tx, deps, ref, job, { drafts: taken, afterId });
  return { next: 'page', published, failed, afterId };
}

/** The drafts of the records that can be retried, by the id of the record, and how many cannot. */
async function draftsOf(
  tx: EnvironmentTransaction,
  deps: PageDependencies,
  ref: DeadLetterJobRef,
  ids: readonly string[],
): Promise<{ drafts: Map<string, MessageDraft>; failed: number }> {
  const drafts = new Map<string, MessageDraft>();
  for (const message of await readFailedMessages(tx, ids)) {
    try {
      const request = retryRequest(originalRequest(deps.vault, ref, message), {});
      drafts.set(message.id, { request, origin: originOf(message) });
    } catch (error) {
      // A missing master key, for one. The record stays, and the others go on.
      deps.logger.error({ jobId: ref.jobId, messageId: message.id, err: error }, 'a dead letter could not be retried');
    }
  }
  return { drafts, failed: ids.length - drafts.size };
}
