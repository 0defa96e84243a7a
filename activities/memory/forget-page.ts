import type { EnvironmentTransaction } from '../../db/client.ts';
import { deleteCollectionRow } from '../../db/memory/collections.ts';
import { forgetMemories } from '../../db/memory/deletion.ts';
import { advanceMemoryJob, endMemoryJob, lockMemoryJob, type MemoryJobRecord } from '../../db/memory/jobs.ts';
import { FORGET_PAGE_SIZE, type MemoryJobRef, type MemoryJobStep } from '../../domain/memory/memory-jobs.ts';
import type { ActivityDependencies } from '../dependencies.ts';

type Dependencies = Pick<ActivityDependencies, 'db'>;

const GONE: MemoryJobStep = { next: 'end', status: 'succeeded' };

/**
 * Deletes and counts one page of a job's memories in one transaction. The last page deletes its collection, jobs too.
 */
export function forgetMemoryPage(deps: Dependencies, pageSize = FORGET_PAGE_SIZE) {
  return (ref: MemoryJobRef): Promise<MemoryJobStep> =>
    deps.db.withEnvironment(ref, async (tx): Promise<MemoryJobStep> => {
      const job = await lockMemoryJob(tx, ref.jobId);
      if (job === null) return GONE;
      if (job.endedAt !== null) return { next: 'end', status: job.status };
      return job.kind === 'delete' ? deletePage(tx, job, pageSize) : forgetPage(tx, job, pageSize);
    });
}

async function deletePage(tx: EnvironmentTransaction, job: MemoryJobRecord, most: number): Promise<MemoryJobStep> {
  if (job.collectionId === null) throw new Error(`job ${job.id} deletes no collection`);
  const wanted = { collectionIds: [job.collectionId], filter: {} };
  const { deleted, isWhole } = await forgetMemories(tx, wanted, { until: null, most });
  if (!isWhole) {
    await advanceMemoryJob(tx, job.id, deleted);
    return { next: 'go on' };
  }
  await deleteCollectionRow(tx, job.collectionId);
  return GONE;
}

async function forgetPage(tx: EnvironmentTransaction, job: MemoryJobRecord, most: number): Promise<MemoryJobStep> {
  if (job.filter?.collectionIds === undefined) throw new Error(`job ${job.id} names no collections`);
  const { collectionIds, ...filter } = job.filter;
  const { deleted, isWhole } = await forgetMemories(tx, { collectionIds, filter }, { until: job.createdAt, most });
  await advanceMemoryJob(tx, job.id, deleted);
  if (!isWhole) return { next: 'go on' };
  await endMemoryJob(tx, job.id, 'succeeded');
  return GONE;
}
