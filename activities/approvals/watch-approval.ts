import { watchApproval as watch } from '../../db/approvals/changes.ts';
import type { ApprovalRef, ApprovalWatch } from '../../domain/approvals/approval.ts';
import type { ActivityDependencies } from '../dependencies.ts';

/** What an approval's workflow needs to keep time. The row remembers which status the workflow has seen. Idempotent. */
export function watchApproval(deps: Pick<ActivityDependencies, 'db'>) {
  return async (ref: ApprovalRef): Promise<ApprovalWatch> =>
    deps.db.withEnvironment(ref, (tx) => watch(tx, ref.approvalId));
}
