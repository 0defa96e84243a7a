/** What crosses the border of the workflow that reads a provider for a preview: ids, and how it ended. */
import type { DraftObserved, PreviewRef } from '../../domain/previews/preview-ref.ts';

export const OBSERVE_PREVIEW_WORKFLOW = 'observePreview';
export type ObservePreviewInput = PreviewRef;
export type ObservePreviewResult = DraftObserved;

export function previewWorkflowId(previewId: string): string {
  return `preview/${previewId}`;
}
