import type { EnvironmentTransaction } from '../../db/client.ts';
import { countJobRecords, countWaiting, findRetryPage } from '../../db/dead-letters/job-pages.ts';
import { deleteDeadLetters } from '../../db/dead-letters/delete-dead-letters.ts';
import { getJob, type JobReason, type JobRecord, lockJob } from '../../db/dead-letters/jobs.ts';
import { advanceJob, endJob, markPageStarted, noteLook, setTotal } from '../../db/dead-letters/move-job.ts';
import { originalRequest, originOf, readFailedMessages } from '../../db/dead-letters/read-failed-messages.ts';
import { readHalt } from '../../db/environments/read-halt.ts';
import { acceptMessages } from '../../db/messages/accept/accept-messages.ts';
import type { MessageDraft } from '../../db/messages/accept/message-candidate.ts';
import {
  type DeadLetterJobRef,
  type JobStep,
  RETRY_PAGE_BYTES_MAX,
  RETRY_PAGE_SIZE,
  RETRY_WAITING_MAX,
} from '../../domain/dead-letters/dead-letters.ts';
import { retryRequest } from '../../domain/dead-letters/retry-request.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { wakeAll } from '../messages/wake-messages.ts';
import { grantKeys } from '../flow-control/grant-keys.ts';
import { withHeartbeats } from '../with-heartbeats.ts';

type PageDependencies = Pick<
  ActivityDependencies,
  'db' | 'vault' | 'logger' | 'wakeMessage' | 'paceFlowControl' | 'heartbeatTimeoutMs'
>;

/** What ends a job: the workspace or the key may make no more messages. Anything else is tried again. */
const ENDING_CODES: readonly string[] = ['QUOTA_EXCEEDED', 'BUDGET_EXCEEDED', 'BUDGET_RECONCILIATION_REQUIRED'];

/**
 * Retries one page of dead letters: the new messages, the deleted records, the counters and the cursor of the job are one
 * transaction, so that each record is retried once, whatever dies. Then it starts the workflows of the page.
 *
 * A crash before the commit leaves nothing. Between the commit and the starts, or among them, the job's row still names the page:
 * the next run starts it first, which does nothing to a workflow that runs. Messages of a flow-control key are no part of that: the
 * page waits for none of them, each key grants what it may send, and the sweep grants what a crash left out.
 */
export function retryDeadLetterPage(deps: PageDependencies, pageSize = RETRY_PAGE_SIZE) {
  return (ref: DeadLetterJobRef): Promise<JobStep> =>
    withHeartbeats(deps, async () => {
      await startPage(deps, ref);
      const { step, keyIds } = await nextPage(deps, ref, pageSize);
      await startPage(deps, ref);
      const { workspaceId, environmentId } = ref;
      await grantKeys(deps, { workspaceId, environmentId }, keyIds);
      return step;
    });
}

interface Taken {
  step: JobStep;
  /** The flow-control keys of its messages. */
  keyIds: string[];
}
const without = (step: JobStep): Taken => ({ step, keyIds: [] });

/** Starts the workflows of the last page, unless that was done. */
async function startPage(deps: PageDependencies, ref: DeadLetterJobRef): Promise<void> {
  const job = await deps.db.withEnvironment(ref, (tx) => getJob(tx, ref.jobId));
  if (job === null || job.pageStarted) return;
  await wakeAll(deps, ref, job.pageIds);
  await deps.db.withEnvironment(ref, (tx) => markPageStarted(tx, ref.jobId));
}

/**
 * Takes the next page, or a smaller one where the budget or the allowance does not suffice for all of it: what is left of them is
 * used up before the job fails.
 */
async function nextPage(deps: PageDependencies, ref: DeadLetterJobRef, pageSize: number): Promise<Taken> {
  for (let size = pageSize; ; size = Math.floor(size / 2)) {
    try {
      return await deps.db.withEnvironment(ref, (tx) => takePage(tx, deps, ref, size));
    } catch (error) {
      if (!(error instanceof ServiceError) || !ENDING_CODES.includes(error.code)) throw error;
      if (size > 1) continue;
      const reason = { code: error.code, message: error.publicMessage };
      return without(await deps.db.withEnvironment(ref, (tx) => fail(tx, ref, reason)));
    }
  }
}

async function fail(tx: EnvironmentTransaction, ref: DeadLetterJobRef, reason: JobReason): Promise<JobStep> {
  const job = await lockJob(tx, ref.jobId);
  if (job !== null && job.endedAt !== null) return { next: 'end', status: job.status };
  await endJob(tx, ref.jobId, 'failed', reason);
  return { next: 'end', status: 'failed' };
}

async function takePage(
  tx: EnvironmentTransaction,
  deps: PageDependencies,
  ref: DeadLetterJobRef,
  pageSize: number,
): Promise<Taken> {
  const job = await lockJob(tx, ref.jobId);
  if (job === null) throw new Error(`dead-letter job ${ref.jobId} is not there`);
  if (job.endedAt !== null) return without({ next: 'end', status: job.status });
  if (job.total === null) await setTotal(tx, job.id, await countJobRecords(tx, job));
  const wait = await waitOf(tx, job);
  if (wait !== null) return without(wait);
  const ids = withinBytes(await findRetryPage(tx, job, pageSize));
  const afterId = ids.at(-1);
  if (afterId === undefined) {
    await endJob(tx, job.id, 'completed');
    return without({ next: 'end', status: 'completed' });
  }
  const { drafts, failed } = await draftsOf(tx, deps, ref, ids);
  // Whoever deletes a record has it: a record that somebody else retried or deleted meanwhile makes no message here.
  const deleted = new Set(await deleteDeadLetters(tx, [...drafts.keys()]));
  const taken = [...drafts].flatMap(([id, draft]) => (deleted.has(id) ? [draft] : []));
  const { requestedBy: publishedBy, apiKeyId, publishesWhileHalted } = job;
  const publisher = { tenant: ref, publishedBy, apiKeyId, publishesWhileHalted };
  const published = taken.length === 0 ? [] : await acceptMessages(tx, deps.vault, publisher, taken);
  const pageIds = published.flatMap((message) => (message.flowControlKeyId === null ? [message.messageId] : []));
  await advanceJob(tx, job.id, { done: published.length, failed, afterId, pageIds });
  return { step: { next: 'go on' }, keyIds: published.flatMap(({ flowControlKeyId }) => flowControlKeyId ?? []) };
}

async function waitOf(tx: EnvironmentTransaction, job: JobRecord): Promise<JobStep | null> {
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

/** As many as may be held in memory together, at least one. */
function withinBytes(page: readonly { id: string; bytes: number }[]): string[] {
  let sum = 0;
  const end = page.findIndex(({ bytes }) => (sum += bytes) > RETRY_PAGE_BYTES_MAX);
  return page.slice(0, end === -1 ? page.length : Math.max(1, end)).map(({ id }) => id);
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
