import { rowsAfter } from '../page.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { bindingsOf, MATCHES_BY_ID } from './records.ts';
import type { JobRecord } from './jobs.ts';

type Scope = Pick<JobRecord, 'filter' | 'createdAt'>;
/** Records that failed later were not there when the job was asked for: what fails again is not retried for ever. */
const IN_JOB = `${MATCHES_BY_ID} AND d.failed_at <= :createdAt`;
const scopeOf = ({ filter, createdAt }: Scope) => ({ ...bindingsOf(filter), createdAt });

export async function countJobRecords(tx: EnvironmentTransaction, job: Scope): Promise<number> {
  const row = await tx.row<{ total: number }>(
    'count_job_records',
    `SELECT count(*)::int AS total FROM dead_letters d WHERE ${IN_JOB}`,
    scopeOf(job),
  );
  return row?.total ?? 0;
}

/** The ids of the next page in their order, with the size of their content as it is stored. Nothing is locked. */
export async function findRetryPage(
  tx: EnvironmentTransaction,
  job: Scope & Pick<JobRecord, 'afterId'>,
  limit: number,
): Promise<{ id: string; bytes: number }[]> {
  return rowsAfter(tx, {
    name: 'find_retry_page',
    columns: `d.message_id AS id, COALESCE(octet_length(c.body), 0) + COALESCE(octet_length(c.headers::text), 0)
        + COALESCE(octet_length(c.sealed_value), 0) AS bytes`,
    from: 'dead_letters d',
    joins: 'LEFT JOIN message_contents c ON c.message_id = d.message_id',
    where: IN_JOB,
    key: 'd.message_id',
    asked: { ...scopeOf(job), after: job.afterId, limit },
  });
}

/** Deletes the next page of a job. Returns how many this transaction deleted, and the last of the page; null at the end. */
export async function deletePage(
  tx: EnvironmentTransaction,
  job: Scope & Pick<JobRecord, 'afterId'>,
  limit: number,
): Promise<{ deleted: number; lastId: string } | null> {
  const rows = await tx.rows<{ deleted: number; lastId: string | null }>(
    'delete_page',
    `WITH page AS MATERIALIZED (
       SELECT d.message_id FROM dead_letters d WHERE ${IN_JOB} AND d.message_id > :afterId ORDER BY d.message_id LIMIT :limit
     ), gone AS (DELETE FROM dead_letters d USING page p WHERE d.message_id = p.message_id RETURNING 1)
     SELECT (SELECT count(*)::int FROM gone) AS deleted, (SELECT max(message_id) FROM page) AS "lastId"`,
    { ...scopeOf(job), afterId: job.afterId, limit },
  );
  const { deleted = 0, lastId = null } = rows[0] ?? {};
  return lastId === null ? null : { deleted, lastId };
}

/** How many of these messages are due in the lane of the environment, and are not held by a halt. */
export async function countWaiting(tx: EnvironmentTransaction, messageIds: readonly string[]): Promise<number> {
  if (messageIds.length === 0) return 0;
  const row = await tx.row<{ n: number }>(
    'count_waiting',
    `SELECT count(*)::int AS n FROM lane_queue q WHERE q.message_id = ANY(?) AND q.state = 'ready' AND q.lane_id IS NULL
       AND NOT EXISTS (SELECT FROM environments e WHERE e.id = q.environment_id AND e.halted_at IS NOT NULL)`,
    [messageIds],
  );
  return row?.n ?? 0;
}
