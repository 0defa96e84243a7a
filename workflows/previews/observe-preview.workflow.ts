import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { OBSERVE_DRAFT_OPTIONS, onQueue } from '../activity-options.ts';
import type { ObservePreviewInput, ObservePreviewResult } from '../../temporal/previews/observe-preview.ts';

/**
 * Reads the provider for a preview whose caller waits: the API may not open credentials, a worker may. Only that one request
 * depends on the result; leftovers are swept.
 */
export async function observePreview(ref: ObservePreviewInput): Promise<ObservePreviewResult> {
  const { observeDraft } = proxyActivities<Activities>({ ...OBSERVE_DRAFT_OPTIONS, ...onQueue('provider-reads', ref) });
  return observeDraft(ref);
}
