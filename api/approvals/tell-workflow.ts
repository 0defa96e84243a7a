import type { ApprovalRef } from '../../domain/approvals/approval.ts';
import type { WorkDependencies } from '../http/define-route.ts';
import { wakeApproval } from './wake-approval.ts';

/**
 * Notifies the workflow that waits for an approval. The decision is committed: if Temporal is away or the process dies here, only
 * time is lost. The sweep wakes every workflow that was not notified of its approval's end
 * (its area `unwatched-approvals`).
 */
export async function tellWorkflow(deps: WorkDependencies, ref: ApprovalRef): Promise<void> {
  const { approvalId, invocationId, workspaceId, environmentId } = ref;
  const told = { approvalId, invocationId, workspaceId, environmentId };
  await wakeApproval(deps.temporal, told, { taskQueue: deps.taskQueue });
}
