import { countJobRecords, deletePage } from '../../db/dead-letters/job-pages.ts';
import { advanceJob, endJob, lockJob, setTotal } from '../../db/dead-letters/jobs.ts';
import { CLEAR_PAGE_SIZE, type DeadLetterJobRef, type JobStep } from '../../domain/dead-letters/dead-letters.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { RecordGone } from '../../domain/record-gone.ts';

/** Deletes one page of dead letters, and moves the job with it: run again after a crash, it goes on behind what was deleted. */
export function clearDeadLetterPage(deps: Pick<ActivityDependencies, 'db'>, pageSize = CLEAR_PAGE_SIZE) {
  return (ref: DeadLetterJobRef): Promise<JobStep> =>
    deps.db.withEnvironment(ref, async (tx): Promise<JobStep> => {
      const job = await lockJob(tx, ref.jobId, ['clear']);
      if (job === null) throw new RecordGone(`dead-letter job ${ref.jobId} is not there`);
      if (job.endedAt !== null) return { next: 'end', status: job.status };
      if (job.total === null) await setTotal(tx, job.id, await countJobRecords(tx, job));
      const page = await deletePage(tx, job, pageSize);
      if (page === null) {
        await endJob(tx, job.id, 'completed');
        return { next: 'end', status: 'completed' };
      }
      await advanceJob(tx, job.id, { done: page.deleted, failed: 0, afterId: page.lastId, pageIds: [] });
      return { next: 'go on' };
    });
}
