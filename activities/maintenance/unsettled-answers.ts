import { findUnsettledAnswers } from '../../db/attempts/directory.ts';
import type { InvocationRef } from '../../domain/refs.ts';
import type { TellDependency } from '../dependencies.ts';
import { settleInvocation } from '../invocations/settle-invocation.ts';
import type { SweepArea } from './sweep-rows.ts';

/**
 * Settles invocations that are unknown although an answer is on record. The transaction that records an answer also settles, unless that
 * failed again and again. Then a workflow settles, but a late answer may have no running workflow, and a plain invocation has none.
 */
export const unsettledAnswers: SweepArea<InvocationRef, TellDependency> = {
  find: (deps, page) => findUnsettledAnswers(deps.db, page),
  idOf: (ref) => ref.invocationId,
  mend: (deps, refs) => Promise.all(refs.map((ref) => settleInvocation(deps)(ref))),
  batchSize: 1,
};
