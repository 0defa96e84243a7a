import { approvalWorkflowId } from '../temporal/approvals/await-approval.ts';
import { invocationWorkflowId } from '../temporal/invocations/invoke-action.ts';
import { messageWorkflowId } from '../temporal/messages/deliver-message.ts';
import { previewWorkflowId } from '../temporal/previews/observe-preview.ts';
import { reconciliationWorkflowId } from '../temporal/reconciliation/reconcile-effect.ts';
import { replayWorkflowId } from '../temporal/reconciliation/replay-effect.ts';
import { ID_PREFIXES } from '../domain/ids.ts';

const BY_PREFIX: Readonly<Record<string, (id: string) => string>> = {
  [ID_PREFIXES.invocation]: invocationWorkflowId,
  [ID_PREFIXES.approval]: approvalWorkflowId,
  [ID_PREFIXES.effect]: reconciliationWorkflowId,
  [ID_PREFIXES.attempt]: replayWorkflowId,
  [ID_PREFIXES.message]: messageWorkflowId,
  [ID_PREFIXES.preview]: previewWorkflowId,
};

/** The workflow of a record's id: `inv_…` becomes `invocation/inv_…`. An id of a workflow stays as it is. */
export function workflowIdOf(id: string): string {
  return BY_PREFIX[/^([a-z]{3})_/.exec(id)?.[1] ?? '']?.(id) ?? id;
}
