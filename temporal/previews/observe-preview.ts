import { WorkflowIdReusePolicy } from '@temporalio/common';
import type { DraftObserved, PreviewRef } from '../../domain/previews/preview-ref.ts';
import { searchAttributes } from '../search-attributes.ts';
import type { Start } from '../start.ts';

/** The data that crosses the boundary of the workflow that reads a provider for a preview: ids, and how it ended. */
export const OBSERVE_PREVIEW_WORKFLOW = 'observePreview';
export type ObservePreviewInput = PreviewRef;
export type ObservePreviewResult = DraftObserved;

/** The workflow's one activity ends within 18 s, and the caller waits no longer than this. */
export const OBSERVE_PREVIEW_TIMEOUT_MS = 22_000;

export function previewWorkflowId(previewId: string): string {
  return `preview/${previewId}`;
}

export function observePreviewStart(
  ref: ObservePreviewInput,
  taskQueue: string,
  { actionName, environmentName }: { actionName: string; environmentName: string },
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
      staticSummary: `preview ${actionName} · ${environmentName}`,
      typedSearchAttributes: searchAttributes({ workspaceId, environmentId, environment: environmentName, actionName }),
    },
  };
}
