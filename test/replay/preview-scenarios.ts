import { ApplicationFailure } from '@temporalio/common';
import type { Activities } from '../../activities/index.ts';
import type { DraftObserved, PreviewRef } from '../../domain/previews/preview-ref.ts';
import type { Scenario } from './scenarios.ts';

/** Reading a provider for a preview: at once, not at all, and after an activity that was lost. */

const ref: PreviewRef = {
  previewId: 'prv_0000000000000000000001',
  workspaceId: '00000000-0000-7000-8000-000000000001',
  environmentId: '00000000-0000-7000-8000-000000000002',
};

const observing = (what: string, observeDraft: Activities['observeDraft']): Scenario => ({
  name: `observePreview/${what}.v1`,
  workflow: 'observePreview',
  workflowId: `preview/${ref.previewId}`,
  args: [ref],
  activities: { observeDraft },
  server: 'time-skipping',
});

function lostOnce(): Activities['observeDraft'] {
  let runs = 0;
  return async (): Promise<DraftObserved> => {
    if (++runs === 1) throw ApplicationFailure.retryable('the database is away');
    return { outcome: 'read' };
  };
}

export const PREVIEW_SCENARIOS: readonly Scenario[] = [
  observing('read', async () => ({ outcome: 'read' })),
  observing('unavailable', async () => ({ outcome: 'unavailable' })),
  observing('read-again', lostOnce()),
];
