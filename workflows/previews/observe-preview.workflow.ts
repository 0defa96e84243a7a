import { proxyActivities, setWorkflowOptions } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { OBSERVE_DRAFT_OPTIONS, onQueue } from '../activity-options.ts';
import { LaneQueue } from '../lane-queue.ts';
import type { ObservePreviewInput, ObservePreviewResult } from '../../temporal/previews/observe-preview.ts';
import { pinned } from '../pinned.ts';

/** How long the read waits for a place: its activity then still ends before the caller gives up. */
const PLACE_MS_MAX = 3_000;

setWorkflowOptions(pinned, observePreview);

/**
 * Reads the provider for a preview whose caller waits: the API may not open credentials, a worker may. Only that one request
 * depends on the result; leftovers are swept.
 */
export async function observePreview(ref: ObservePreviewInput): Promise<ObservePreviewResult> {
  const { observeDraft } = proxyActivities<Activities>({
    ...OBSERVE_DRAFT_OPTIONS,
    ...onQueue('provider-reads', ref),
    summary: 'reads the provider for the preview',
  });
  const untilMs = Date.now() + PLACE_MS_MAX;
  const observed = await new LaneQueue().read(ref, (place) => observeDraft({ ...ref, ...place }), { untilMs });
  return observed ?? { outcome: 'crowded' };
}
