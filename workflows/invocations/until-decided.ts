import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  CancellationScope,
  ChildWorkflowFailure,
  executeChild,
  isCancellation,
  log,
  setCurrentDetails,
  sleep,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { sqlActivities } from '../activity-options.ts';
import { environmentName } from '../environment-name.ts';
import {
  type AwaitApprovalInput,
  type AwaitApprovalResult,
  awaitApprovalStart,
} from '../../temporal/approvals/await-approval.ts';
import { asChild } from '../../temporal/start.ts';
import { searchAttributes } from '../../temporal/search-attributes.ts';

const { watchApproval, cancelApproval } = sqlActivities({
  watchApproval: 'reads how the approval stands',
  cancelApproval: 'cancels the approval, unless it was decided',
});

/** A wait that broke off is resumed after this time, which doubles on each failure. */
const RETRY_MS_MIN = 1_000;
const RETRY_MS_MAX = 60_000;

export interface Waiting {
  invocationId: string;
  workspaceId: string;
  environmentId: string;
  approvalId: string;
  actionName: string;
}

/**
 * Waits for the approval of an invocation, in a workflow of its own that keeps the time. `root` is the scope that a
 * cancellation reaches. The decision is in the approval's row. A wait that breaks off (somebody terminated it, or another
 * one of the same approval has not ended yet) is resumed.
 */
export async function untilDecided(root: CancellationScope, waiting: Waiting): Promise<void> {
  const { approvalId, actionName, ...ref } = waiting;
  const input: AwaitApprovalInput = {
    approvalId,
    workspaceId: ref.workspaceId,
    environmentId: ref.environmentId,
    invocationId: ref.invocationId,
    subject: actionName,
  };
  upsertSearchAttributes(searchAttributes({ stage: 'awaiting_approval' }));
  setCurrentDetails(`WAITS for approval ${approvalId}`);
  for (let retryMs = RETRY_MS_MIN; ; retryMs = Math.min(RETRY_MS_MAX, retryMs * 2)) {
    const status = (await waitInChild(root, input)) ?? (await watchApproval(input)).status;
    if (status !== 'pending') return;
    await sleep(retryMs, { summary: 'before the wait for the approval is taken up again' });
  }
}

/** How the approval ended; null where the wait broke off. */
async function waitInChild(
  root: CancellationScope,
  input: AwaitApprovalInput,
): Promise<AwaitApprovalResult['status'] | null> {
  try {
    const scope = new CancellationScope({ cancellable: true, parent: root });
    const { type, options } = asChild(awaitApprovalStart(input, workflowInfo().taskQueue, environmentName()));
    const { status } = await scope.run(() => executeChild(type, options));
    return status as AwaitApprovalResult['status'];
  } catch (error) {
    if (isCancellation(error)) {
      // It was cancelled before it could begin. A running one does the same itself.
      await cancelApproval(input);
      return null;
    }
    if (!(error instanceof ChildWorkflowFailure) && !(error instanceof WorkflowExecutionAlreadyStartedError))
      throw error;
    log.warn('the wait for an approval broke off: it is taken up again', { approvalId: input.approvalId });
    return null;
  }
}
