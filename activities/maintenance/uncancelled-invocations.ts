import { findWaitingInvocationsOfCancelledRuns } from '../../db/runs/directory.ts';
import type { InvocationRef } from '../../domain/refs.ts';
import type { SweepArea } from './sweep-rows.ts';

/** Cancels waiting invocations of cancelled runs: the API process died, Temporal was away, or the wait began later. */
export function uncancelledInvocations(): SweepArea<InvocationRef, 'cancelInvocation'> {
  return {
    find: (deps, page) => findWaitingInvocationsOfCancelledRuns(deps.db, page),
    idOf: (ref) => ref.invocationId,
    mend: (deps, refs) => Promise.all(refs.map((ref) => deps.cancelInvocation(ref))),
    batchSize: 1,
  };
}
