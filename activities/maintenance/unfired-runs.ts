import { findUnfiredRuns, type UnfiredRun } from '../../db/schedules/find-unfired-runs.ts';
import { LOST_AFTER_SECONDS, type SweepArea } from './sweep-rows.ts';

/**
 * Fires runs that were queued by hand and never started, and runs that still wait although the message that they waited for has ended:
 * the process that should have started them died, or Temporal was away.
 */
export function unfiredRuns(olderThanSeconds = LOST_AFTER_SECONDS): SweepArea<UnfiredRun, 'startFiring'> {
  return {
    find: (deps, page) => findUnfiredRuns(deps.db, { olderThanSeconds, ...page }),
    idOf: (run) => run.id,
    mend: (deps, runs) => Promise.all(runs.map(({ id: _key, ...firing }) => deps.startFiring(firing))),
    batchSize: 1,
  };
}
