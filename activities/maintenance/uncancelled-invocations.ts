import { findWaitingInvocationsOfCancelledRuns } from '../../db/runs/directory.ts';
import type { InvocationRef } from '../../domain/refs.ts';
import type { SweepArea } from './sweep-rows.ts';

/**
 * Cancels invocations that wait although their run was cancelled: the API process may have died between its commit and the cancellation,
 * Temporal may have been away, or the invocation began to wait after it.
 */
export function uncancelledInvocations(): SweepArea<InvocationRef, 'cancelInvocation'> {
  return {
    find: (deps, page) => findWaitingInvocationsOfCancelledRuns(deps.db, page),
    idOf: (ref) => ref.invocationId,
    mend: (deps, refs) => Promise.all(refs.map((ref) => deps.cancelInvocation(ref))),
    batchSize: 1,
  };
}
