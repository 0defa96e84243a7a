import type { ApprovalRef } from '../../domain/approvals/approval.ts';
import type { Caller, WorkDependencies } from '../http/define-route.ts';
import { wakeApproval } from './wake-approval.ts';

/**
 * Notifies the workflow that waits for an approval. The decision is committed: if Temporal is away or the process dies here, only
 * time is lost. The sweep wakes every workflow that was not notified of its approval's end
 * (its area `unwatched-approvals`).
 */
export async function tellWorkflow(
  deps: WorkDependencies,
  { tenant: { workspaceId, environmentId }, environment }: Caller,
  { approvalId, invocationId }: Pick<ApprovalRef, 'approvalId' | 'invocationId'>,
): Promise<void> {
  const told = { approvalId, invocationId, workspaceId, environmentId };
  await wakeApproval(deps.temporal, told, { environmentName: environment.name, taskQueue: deps.taskQueue });
}
