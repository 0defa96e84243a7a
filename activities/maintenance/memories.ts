import { deleteMemories } from '../../db/memory/delete-memories.ts';
import { findExpiredMemories, type MemoryRef } from '../../db/memory/find-expired.ts';
import { findIdleMemoryJobs } from '../../db/memory/find-idle-jobs.ts';
import type { MemoryJobRef } from '../../domain/memory/memory-jobs.ts';
import type { SweepArea } from './sweep-rows.ts';

/** Longer than the longest wait between two looks of a job that runs. */
const IDLE_SECONDS = 120;

/**
 * Starts jobs that no workflow looks at: an API process may have died between the commit and the start, or an operator terminated
 * the workflow. A workflow that runs is only told to look.
 */
export function idleMemoryJobs(idleSeconds = IDLE_SECONDS): SweepArea<MemoryJobRef, 'wakeMemoryJob'> {
  return {
    find: (deps, page) => findIdleMemoryJobs(deps.db, { idleSeconds, ...page }),
    idOf: (ref) => ref.jobId,
    mend: (deps, refs) => Promise.all(refs.map((ref) => deps.wakeMemoryJob(ref))),
    batchSize: 1,
  };
}

/** Deletes memories whose time is over, with their chains and what was derived. A later version of one may be gone with it. */
export const expiredMemories: SweepArea<MemoryRef> = {
  find: (deps, page) => findExpiredMemories(deps.db, page),
  idOf: ({ memoryId }) => memoryId,
  mend: (deps, refs) =>
    Promise.all(refs.map((ref) => deps.db.withEnvironment(ref, (tx) => deleteMemories(tx, [ref.memoryId])))),
  batchSize: 1,
};
