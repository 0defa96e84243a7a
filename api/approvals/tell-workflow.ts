import type { EnvironmentTransaction } from '../../db/client.ts';
import { namesOfInvocation } from '../../db/invocations/queries.ts';
import type { ApprovalRef } from '../../domain/approvals/approval.ts';
import type { Caller, WorkDependencies } from '../http/define-route.ts';
import { startInvocationWorkflow } from '../invocations/start-invocation-workflow.ts';
import { wakeApproval } from './wake-approval.ts';

/**
 * Returns a function that notifies the waiting workflow after the commit. The decision is final by then: a failure or crash only delays it,
 * because the sweep wakes every workflow that missed its approval's end (area `workflow-starts`).
 */
export async function tellWorkflow(
  tx: EnvironmentTransaction,
  { temporal, taskQueue }: WorkDependencies,
  { tenant: { workspaceId, environmentId }, environment }: Pick<Caller, 'tenant'> & { environment: { name: string } },
  { approvalId, invocationId }: Pick<ApprovalRef, 'approvalId' | 'invocationId'>,
): Promise<() => Promise<void>> {
  // A terminated workflow is started again under the same names.
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
