import {
  type DeadLetterFilter,
  ENDED_JOBS_KEPT_DAYS,
  type JobKind,
  JOBS_AT_ONCE_MAX,
  type JobStatus,
} from '../../domain/dead-letters/dead-letters.ts';
import { ServiceError } from '../../domain/errors.ts';
import { newId } from '../../domain/ids.ts';
import { type Page, pageOf, type Range } from '../page.ts';
import type { EnvironmentTransaction } from '../client.ts';

export interface JobReason {
  code: string;
  message: string;
}

export interface JobRecord<Kind extends JobKind = JobKind> {
  id: string;
  kind: Kind;
  /** A recovery has `startDate` alone. */
  filter: DeadLetterFilter;
  /** The subscription that is recovered; null for the other kinds. */
  subscriptionId: string | null;
  requestedBy: { type: string; id: string | null };
  apiKeyId: string | null;
  publishesWhileHalted: boolean;
  status: JobStatus;
  reason: JobReason | null;
  total: number | null;
  done: number;
  failed: number;
  /** The cursor; empty at first. */
  afterId: string;
  /** The messages that the last page made, but for those that a flow-control key holds. */
  pageIds: string[];
  /** Only records that failed until then are touched. */
  createdAt: Date;
  updatedAt: Date;
  endedAt: Date | null;
}

const COLUMNS = `j.id, j.kind, j.filter, j.subscription_id AS "subscriptionId", j.requested_by AS "requestedBy", j.api_key_id AS "apiKeyId",
  j.publishes_while_halted AS "publishesWhileHalted", j.status, j.reason, j.total, j.done, j.failed, j.after_id AS "afterId",
  j.page_ids AS "pageIds", j.created_at AS "createdAt", j.updated_at AS "updatedAt",
  j.ended_at AS "endedAt"`;

export type NewJob<Kind extends JobKind> = Pick<
  JobRecord<Kind>,
  'kind' | 'filter' | 'subscriptionId' | 'requestedBy' | 'apiKeyId' | 'publishesWhileHalted'
>;

/**
 * Creates a job over the records that are there now. Jobs that ended long ago go in the same transaction. Throws CONFLICT where
 * too many are under way, or the subscription is being recovered.
 */
export async function createJob<Kind extends JobKind>(
  tx: EnvironmentTransaction,
  job: NewJob<Kind>,
): Promise<JobRecord<Kind>> {
  // Serialized: two requests that counted at the same time would both miss the other's job.
  await tx.raw(
    'create_job',
    "SELECT pg_advisory_xact_lock(hashtextextended('dead-letter-jobs/' || current_environment_id(), 0))",
  );
  await tx.raw(
    'create_job_2',
    `DELETE FROM dead_letter_jobs WHERE environment_id = current_environment_id() AND ended_at < now() - make_interval(days => ?)`,
    [ENDED_JOBS_KEPT_DAYS],
  );
  await refuseTooMany(tx, job);
  const id = newId(job.kind === 'recover' ? 'eventRecovery' : 'deadLetterJob');
  await tx.raw(
    'create_job_3',
    `INSERT INTO dead_letter_jobs (id, environment_id, kind, filter, subscription_id, requested_by, api_key_id, publishes_while_halted)
     VALUES (:id, current_environment_id(), :kind, :filter, :subscriptionId, :requestedBy, :apiKeyId, :publishesWhileHalted)`,
    { ...job, id, filter: JSON.stringify(job.filter), requestedBy: JSON.stringify(job.requestedBy) },
  );
  const made = await getJob(tx, id, [job.kind]);
  if (made === null) throw new Error(`job ${id} was made and is gone`);
  return made;
}

async function refuseTooMany(tx: EnvironmentTransaction, { kind, subscriptionId }: NewJob<JobKind>): Promise<void> {
  const open = await tx.rows<{ n: number; same: string | null }>(
    'dead_letters_refuse_too_many',
    `SELECT count(*)::int AS n, min(id) FILTER (WHERE subscription_id = :subscriptionId) AS same FROM dead_letter_jobs
     WHERE environment_id = current_environment_id() AND ended_at IS NULL AND (kind = 'recover') = :isRecovery`,
    { subscriptionId, isRecovery: kind === 'recover' },
  );
  const { n = 0, same = null } = open[0] ?? {};
  if (same !== null) {
    throw new ServiceError('CONFLICT', {
      message: `Recovery ${same} of this subscription is under way. Wait until it ends, or cancel it.`,
    });
  }
  if (n >= JOBS_AT_ONCE_MAX) {
    throw new ServiceError('CONFLICT', {
      message: `${JOBS_AT_ONCE_MAX} ${kind === 'recover' ? 'recoveries' : 'dead-letter jobs'} of this environment are under way already. Wait until one ends, or cancel one.`,
    });
  }
}

/** Null where there is no job of these kinds. */
export function getJob<Kind extends JobKind>(
  tx: EnvironmentTransaction,
  id: string,
  kinds: readonly Kind[],
): Promise<JobRecord<Kind> | null> {
  return readJob(tx, id, kinds, '');
}

/** Locks a job until the transaction ends: its pages and its cancellation come one after another. Null where there is none. */
export function lockJob<Kind extends JobKind>(
  tx: EnvironmentTransaction,
  id: string,
  kinds: readonly Kind[],
): Promise<JobRecord<Kind> | null> {
  return readJob(tx, id, kinds, 'FOR NO KEY UPDATE');
}

async function readJob<Kind extends JobKind>(
  tx: EnvironmentTransaction,
  id: string,
  kinds: readonly Kind[],
  lock: string,
): Promise<JobRecord<Kind> | null> {
  return tx.row<JobRecord<Kind>>(
    { variantsOf: 'read_job' },
    `SELECT ${COLUMNS} FROM dead_letter_jobs j WHERE j.id = ? AND j.kind = ANY (?) ${lock}`,
    [id, kinds],
  );
}

export interface JobPage<Kind extends JobKind> extends Range {
  kinds: readonly Kind[];
  subscriptionId?: string | null;
  status?: JobStatus | null | undefined;
}

export async function listJobs<Kind extends JobKind>(
  tx: EnvironmentTransaction,
  asked: JobPage<Kind>,
): Promise<Page<JobRecord<Kind>>> {
  return pageOf(tx, {
    name: 'list_dead_letters_jobs',
    columns: COLUMNS,
    from: 'dead_letter_jobs j',
    where: 'j.environment_id = current_environment_id() AND j.kind = ANY (:kinds)',
    filters: { status: 'j.status = :status', subscriptionId: 'j.subscription_id = :subscriptionId' },
    order: 'j.created_at DESC, j.id DESC',
    asked,
  });
}

/** What one page came to; it is written in the transaction of the page. */
export interface PageDone {
  done: number;
  failed: number;
  /** The new cursor. */
  afterId: string;
  /** The messages that it published. */
  pageIds: readonly string[];
}

/** Moves the counters and the cursor of a job that the same transaction has locked. */
export async function advanceJob(tx: EnvironmentTransaction, id: string, page: PageDone): Promise<void> {
  await tx.raw(
    'advance_job',
    `UPDATE dead_letter_jobs SET status = 'running', reason = NULL, done = done + :done, failed = failed + :failed,
       after_id = :afterId, page_ids = :pageIds, looked_at = now(), updated_at = now() WHERE id = :id`,
    { ...page, id },
  );
}

/** Notes that the workflow of a job has looked at it and can do nothing now; with the reason where somebody has to act. */
export async function noteLook(tx: EnvironmentTransaction, id: string, reason: JobReason | null): Promise<void> {
  await tx.raw(
    'note_look',
    `UPDATE dead_letter_jobs SET looked_at = now(), status = :status, reason = CAST(:reason AS jsonb),
       updated_at = CASE WHEN status = :status THEN updated_at ELSE now() END WHERE id = :id`,
    { id, status: reason === null ? 'running' : 'paused', reason: reason === null ? null : JSON.stringify(reason) },
  );
}

export async function setTotal(tx: EnvironmentTransaction, id: string, total: number): Promise<void> {
  await tx.raw('set_total', 'UPDATE dead_letter_jobs SET total = ? WHERE id = ?', [total, id]);
}

/** Ends a job that the same transaction has locked. What it has not reached stays. */
export async function endJob(
  tx: EnvironmentTransaction,
  id: string,
  status: Extract<JobStatus, 'completed' | 'failed' | 'cancelled'>,
  reason: JobReason | null = null,
): Promise<void> {
  await tx.raw(
    'end_job',
    `UPDATE dead_letter_jobs SET status = :status, reason = CAST(:reason AS jsonb), looked_at = now(), updated_at = now(),
       ended_at = now() WHERE id = :id AND ended_at IS NULL`,
    { id, status, reason: reason === null ? null : JSON.stringify(reason) },
  );
}
