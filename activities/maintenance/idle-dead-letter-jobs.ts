import { findIdleJobs } from '../../db/dead-letters/find-idle-jobs.ts';
import type { DeadLetterJobRef } from '../../domain/dead-letters/dead-letters.ts';
import type { SweepArea } from './sweep-rows.ts';

/** Longer than the longest wait between two looks of a job that runs. */
const IDLE_SECONDS = 120;

/**
 * Starts jobs that no workflow looks at: an API process may have died between the commit and the start, or an operator terminated
 * the workflow. A workflow that runs is only told to look.
 */
export function idleDeadLetterJobs(idleSeconds = IDLE_SECONDS): SweepArea<DeadLetterJobRef, 'wakeDeadLetterJob'> {
  return {
    find: (deps, page) => findIdleJobs(deps.db, { idleSeconds, ...page }),
    idOf: (ref) => ref.jobId,
    mend: (deps, refs) => Promise.all(refs.map((ref) => deps.wakeDeadLetterJob(ref))),
    batchSize: 1,
  };
}
