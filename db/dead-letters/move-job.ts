import type { JobStatus } from '../../domain/dead-letters/dead-letters.ts';
import type { EnvironmentTransaction } from '../client.ts';
import type { JobReason } from './jobs.ts';

/** What one page came to; it is written in the transaction of the page. */
export interface PageDone {
  done: number;
  failed: number;
  /** The new cursor. */
  afterId: string;
  /** The messages whose workflows are to be started. */
  pageIds: readonly string[];
}

/** Moves the counters and the cursor of a job that the same transaction has locked. */
export async function advanceJob(tx: EnvironmentTransaction, id: string, page: PageDone): Promise<void> {
  await tx.raw(
    `UPDATE dead_letter_jobs SET status = 'running', reason = NULL, done = done + :done, failed = failed + :failed,
       after_id = :afterId, page_ids = :pageIds, page_started = :pageStarted, looked_at = now(), updated_at = now() WHERE id = :id`,
    { ...page, id, pageStarted: page.pageIds.length === 0 },
  );
}

/** Notes that the workflows of the last page were started. */
export async function markPageStarted(tx: EnvironmentTransaction, id: string): Promise<void> {
  await tx.raw('UPDATE dead_letter_jobs SET page_started = true WHERE id = ?', [id]);
}

/** Notes that the workflow of a job has looked at it and can do nothing now; with the reason where somebody has to act. */
export async function noteLook(tx: EnvironmentTransaction, id: string, reason: JobReason | null): Promise<void> {
  await tx.raw(
    `UPDATE dead_letter_jobs SET looked_at = now(), status = :status, reason = CAST(:reason AS jsonb),
       updated_at = CASE WHEN status = :status THEN updated_at ELSE now() END WHERE id = :id`,
    { id, status: reason === null ? 'running' : 'paused', reason: reason === null ? null : JSON.stringify(reason) },
  );
}

export async function setTotal(tx: EnvironmentTransaction, id: string, total: number): Promise<void> {
  await tx.raw('UPDATE dead_letter_jobs SET total = ? WHERE id = ?', [total, id]);
}

/** Ends a job that the same transaction has locked. What it has not reached stays. */
export async function endJob(
  tx: EnvironmentTransaction,
  id: string,
  status: Extract<JobStatus, 'completed' | 'failed' | 'cancelled'>,
  reason: JobReason | null = null,
): Promise<void> {
  await tx.raw(
    `UPDATE dead_letter_jobs SET status = :status, reason = CAST(:reason AS jsonb), looked_at = now(), updated_at = now(),
       ended_at = now() WHERE id = :id AND ended_at IS NULL`,
    { id, status, reason: reason === null ? null : JSON.stringify(reason) },
  );
}
