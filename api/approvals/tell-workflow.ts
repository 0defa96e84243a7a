import type { ApprovalRef } from '../../domain/approvals/approval.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { wakeApproval } from './wake-approval.ts';

/**
 * What was decided is committed: a Temporal that is away, or a process that dies here, costs time and nothing else. The sweep
 * wakes every workflow that has not heard of its approval's end (its area `unwatched-approvals`).
 */
export async function tellWorkflow(deps: ApiDependencies, ref: ApprovalRef): Promise<void> {
  const { approvalId, invocationId, workspaceId, environmentId } = ref;
  try {
    await wakeApproval(
      deps.temporal,
      { approvalId, invocationId, workspaceId, environmentId },
      { taskQueue: deps.taskQueue },
    );
  } catch (error) {
    deps.logger.warn({ approvalId, err: error }, 'could not tell the workflow of an approval: the sweep will');
  }
}
