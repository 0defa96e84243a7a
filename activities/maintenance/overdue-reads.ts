import { findOverdueReads, type OverdueRead } from '../../db/reconciliation/find-overdue-reads.ts';
import type { SweepArea } from './sweep-rows.ts';

/** A read takes up to five tries of a minute. A younger one is still under way. */
const OVERDUE_SECONDS = 120;

/**
 * Restarts the reads of effects whose next read is overdue: their reconciliation was terminated, or was lost before it
 * began. It also starts the watch over a succeeded effect that may still be reversed, when its first read is due. A running
 * workflow is left as it is; a second one would only read.
 */
export function overdueReads(overdueBySeconds = OVERDUE_SECONDS): SweepArea<OverdueRead, 'startReads'> {
  return {
    find: (deps, page) => findOverdueReads(deps.db, { overdueBySeconds, ...page }),
    idOf: (read) => read.effectId,
    mend: (deps, reads) =>
      Promise.all(
        reads.map(({ stage, ...ref }) => deps.startReads(ref, stage === 'reconciling' ? 'reconciliation' : 'reversal')),
      ),
    batchSize: 1,
  };
}
