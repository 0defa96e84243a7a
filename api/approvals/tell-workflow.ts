import type { EnvironmentTransaction } from '../../db/client.ts';
import { namesOfInvocation } from '../../db/invocations/queries.ts';
import type { ApprovalRef } from '../../domain/approvals/approval.ts';
import type { Caller, WorkDependencies } from '../http/define-route.ts';
import { startInvocationWorkflow } from '../invocations/start-invocation-workflow.ts';
import { wakeApproval } from './wake-approval.ts';

/**
 * Returns what notifies the workflow that waits for an approval, for after the commit. The decision is final then: if Temporal is
 * away or the process dies before, only time is lost. The sweep wakes every workflow that was not notified of its approval's end
 * (its area `workflow-starts`).
 */
export async function tellWorkflow(
  tx: EnvironmentTransaction,
  { temporal, taskQueue }: WorkDependencies,
  { tenant: { workspaceId, environmentId }, environment }: Pick<Caller, 'tenant'> & { environment: { name: string } },
  { approvalId, invocationId }: Pick<ApprovalRef, 'approvalId' | 'invocationId'>,
): Promise<() => Promise<void>> {
  // An invocation whose workflow was terminated is started anew, under the names that it had.
  const names = invocationId === null ? null : await namesOfInvocation(tx, invocationId);
  return () =>
    wakeApproval(
      temporal,
      { approvalId, invocationId, workspaceId, environmentId },
      {
        environmentName: environment.name,
        startInvocation: async (ref) => {
          if (names !== null) await startInvocationWorkflow(temporal, ref, { ...names, eager: false, taskQueue });
        },
        taskQueue,
      },
    );
}
