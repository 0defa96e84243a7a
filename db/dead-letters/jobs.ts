import {
  type DeadLetterFilter,
  ENDED_JOBS_KEPT_DAYS,
  type JobKind,
  JOBS_AT_ONCE_MAX,
  type JobStatus,
} from '../../domain/dead-letters/dead-letters.ts';
import { ServiceError } from '../../domain/errors.ts';
import { newId } from '../../domain/ids.ts';
import type { EnvironmentTransaction } from '../client.ts';

export interface JobReason {
  code: string;
  message: string;
}

export interface JobRecord {
  id: string;
  kind: JobKind;
  filter: DeadLetterFilter;
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
  pageStarted: boolean;
  /** Only records that failed until then are touched. */
  createdAt: Date;
  updatedAt: Date;
  endedAt: Date | null;
}

const COLUMNS = `j.id, j.kind, j.filter, j.requested_by AS "requestedBy", j.api_key_id AS "apiKeyId",
  j.publishes_while_halted AS "publishesWhileHalted", j.status, j.reason, j.total, j.done, j.failed, j.after_id AS "afterId",
  j.page_ids AS "pageIds", j.page_started AS "pageStarted", j.created_at AS "createdAt", j.updated_at AS "updatedAt",
  j.ended_at AS "endedAt"`;

export type NewJob = Pick<JobRecord, 'kind' | 'filter' | 'requestedBy' | 'apiKeyId' | 'publishesWhileHalted'>;

/**
 * Creates a job over the records that are there now. Jobs that ended long ago go in the same transaction. Throws CONFLICT where
 * too many are under way.
 */
export async function createJob(tx: EnvironmentTransaction, job: NewJob): Promise<JobRecord> {
  // Serialized: two requests that counted at the same time would both miss the other's job.
  await tx.raw("SELECT pg_advisory_xact_lock(hashtextextended('dead-letter-jobs/' || current_environment_id(), 0))");
  await tx.raw(
    `DELETE FROM dead_letter_jobs WHERE environment_id = current_environment_id() AND ended_at < now() - make_interval(days => ?)`,
    [ENDED_JOBS_KEPT_DAYS],
  );
  const { rows: open } = await tx.raw<{ rows: { n: number }[] }>(
    'SELECT count(*)::int AS n FROM dead_letter_jobs WHERE environment_id = current_environment_id() AND ended_at IS NULL',
  );
  if ((open[0]?.n ?? 0) >= JOBS_AT_ONCE_MAX) {
    throw new ServiceError('CONFLICT', {
      message: `${JOBS_AT_ONCE_MAX} dead-letter jobs of this environment are under way already. Wait until one ends, or cancel one.`,
    });
  }
  const id = newId('deadLetterJob');
  await tx.raw(
    `INSERT INTO dead_letter_jobs (id, environment_id, kind, filter, requested_by, api_key_id, publishes_while_halted)
     VALUES (:id, current_environment_id(), :kind, :filter, :requestedBy, :apiKeyId, :publishesWhileHalted)`,
    { ...job, id, filter: JSON.stringify(job.filter), requestedBy: JSON.stringify(job.requestedBy) },
  );
  const made = await getJob(tx, id);
  if (made === null) throw new Error(`dead-letter job ${id} was made and is gone`);
  return made;
}

export async function getJob(tx: EnvironmentTransaction, id: string): Promise<JobRecord | null> {
  const { rows } = await tx.raw<{ rows: JobRecord[] }>(`SELECT ${COLUMNS} FROM dead_letter_jobs j WHERE j.id = ?`, [
    id,
  ]);
  return rows[0] ?? null;
}

/** Locks a job until the transaction ends: its pages and its cancellation come one after another. Null where there is none. */
export async function lockJob(tx: EnvironmentTransaction, id: string): Promise<JobRecord | null> {
  const { rows } = await tx.raw<{ rows: JobRecord[] }>(
    `SELECT ${COLUMNS} FROM dead_letter_jobs j WHERE j.id = ? FOR NO KEY UPDATE`,
    [id],
  );
  return rows[0] ?? null;
}

export async function listJobs(
  tx: EnvironmentTransaction,
  page: { status?: JobStatus | undefined; limit: number; offset: number },
): Promise<{ items: JobRecord[]; total: number }> {
  const where = `j.environment_id = current_environment_id() AND (CAST(:status AS text) IS NULL OR j.status = :status)`;
  const bindings = { status: page.status ?? null, limit: page.limit, offset: page.offset };
  const counted = await tx.raw<{ rows: { total: number }[] }>(
    `SELECT count(*)::int AS total FROM dead_letter_jobs j WHERE ${where}`,
    bindings,
  );
  const { rows } = await tx.raw<{ rows: JobRecord[] }>(
    `SELECT ${COLUMNS} FROM dead_letter_jobs j WHERE ${where} ORDER BY j.created_at DESC, j.id DESC LIMIT :limit OFFSET :offset`,
    bindings,
  );
  return { items: rows, total: counted.rows[0]?.total ?? 0 };
}
