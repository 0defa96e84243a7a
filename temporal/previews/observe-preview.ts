import { WorkflowIdReusePolicy } from '@temporalio/common';
import type { DraftObserved, PreviewRef } from '../../domain/previews/preview-ref.ts';
import { searchAttributes } from '../search-attributes.ts';
import { descriptionOf, priorityOf, type Start, summaryOf } from '../start.ts';

/** The data that crosses the boundary of the workflow that reads a provider for a preview: ids, and how it ended. */
export const OBSERVE_PREVIEW_WORKFLOW = 'observePreview';
export type ObservePreviewInput = PreviewRef;
export type ObservePreviewResult = DraftObserved;

/** The workflow's one activity ends within 18 s, and the caller waits no longer than this. */
export const OBSERVE_PREVIEW_TIMEOUT_MS = 22_000;

export function previewWorkflowId(previewId: string): string {
  return `preview/${previewId}`;
}

const DESCRIPTION = descriptionOf({
  does: 'Reads a provider for a preview, while the caller who asked for the preview waits. It sends nothing.',
  standsStill: 'It ends within 22 seconds by itself. It may be terminated: the caller asks again.',
});

export function observePreviewStart(
  ref: ObservePreviewInput,
  taskQueue: string,
  { actionName, environmentName }: { actionName: string; environmentName: string | null },
): Start<[ObservePreviewInput]> {
  const { previewId, workspaceId, environmentId } = ref;
  return {
    type: OBSERVE_PREVIEW_WORKFLOW,
    options: {
      workflowId: previewWorkflowId(previewId),
      taskQueue,
      args: [{ previewId, workspaceId, environmentId }],
      workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
      workflowExecutionTimeout: OBSERVE_PREVIEW_TIMEOUT_MS,
      priority: priorityOf('invocation', workspaceId),
      staticSummary: summaryOf(`preview ${actionName}`, environmentName),
      staticDetails: DESCRIPTION,
      typedSearchAttributes: searchAttributes({ workspaceId, environmentId, environment: environmentName, actionName }),
    },
  };
}
