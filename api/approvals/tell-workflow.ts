import type { ApprovalRef } from '../../domain/approvals/approval.ts';
import type { WorkDependencies } from '../http/define-route.ts';
import { wakeApproval } from './wake-approval.ts';

/**
 * Tells the workflow that waits for an approval. What was decided is committed: a Temporal that is away, or a process that dies
 * here, costs time and nothing else. The sweep wakes every workflow that has not heard of its approval's end
 * (its area `unwatched-approvals`).
 */
export async function tellWorkflow(deps: WorkDependencies, ref: ApprovalRef): Promise<void> {
  const { approvalId, invocationId, workspaceId, environmentId } = ref;
  const told = { approvalId, invocationId, workspaceId, environmentId };
  await wakeApproval(deps.temporal, told, { taskQueue: deps.taskQueue });
}
