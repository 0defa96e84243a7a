import { findUnwatchedApprovals } from '../../db/approvals/find-unwatched-approvals.ts';
import type { ApprovalRef } from '../../domain/approvals/approval.ts';
import { LOST_AFTER_SECONDS, type SweepArea } from './sweep-rows.ts';

/**
 * Wakes the workflows of approvals that have not seen their newest status: the API process that decided may have died before
 * it could signal, Temporal may have been away, or an operator terminated the workflow. Waking only reads the row.
 */
export function unwatchedApprovals(olderThanSeconds = LOST_AFTER_SECONDS): SweepArea<ApprovalRef, 'wakeApproval'> {
  return {
    find: (deps, page) => findUnwatchedApprovals(deps.db, { olderThanSeconds, ...page }),
    idOf: (ref) => ref.approvalId,
    mend: (deps, refs) => Promise.all(refs.map((ref) => deps.wakeApproval(ref))),
    batchSize: 1,
  };
}
