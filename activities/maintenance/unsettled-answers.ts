import { findUnsettledAnswers } from '../../db/attempts/find-unsettled-answers.ts';
import type { InvocationRef } from '../../domain/refs.ts';
import type { TellDependency } from '../dependencies.ts';
import { settleInvocation } from '../invocations/settle-invocation.ts';
import type { SweepArea } from './sweep-rows.ts';

/**
 * Settles what has an answer on record and is unknown all the same. The transaction of the record settles, unless that failed
 * again and again; a workflow does then, but a late answer may have none that is running, and a plain invocation has none.
 */
export const unsettledAnswers: SweepArea<InvocationRef, TellDependency> = {
  find: (deps, page) => findUnsettledAnswers(deps.db, page),
  idOf: (ref) => ref.invocationId,
  mend: (deps, refs) => Promise.all(refs.map((ref) => settleInvocation(deps)(ref))),
  batchSize: 1,
};
