import { ApplicationFailure } from '@temporalio/common';
import type { Activities } from '../../../activities/index.ts';
import type { DraftObserved, PreviewRef } from '../../../domain/previews/preview-ref.ts';
import type { NoPlace } from '../../../domain/in-flight.ts';
import { ENVIRONMENT, inTurn, NO_PLACE, type Scenario } from '../../replay/scenario.ts';

/** Reading a provider for a preview: successfully, unsuccessfully, and after an activity was lost. */

const ref: PreviewRef = { previewId: 'prv_0000000000000000000001', ...ENVIRONMENT };

const observing = (what: string, observeDraft: Activities['observeDraft']): Scenario => ({
  name: `observePreview/${what}.v1`,
  workflow: 'observePreview',
  workflowId: `preview/${ref.previewId}`,
  args: [ref],
  activities: { observeDraft, leaveQueue: async () => {} },
  server: 'time-skipping',
});

function lostOnce(): Activities['observeDraft'] {
  let runs = 0;
  return async (): Promise<DraftObserved> => {
    if (++runs === 1) throw ApplicationFailure.retryable('the database is away');
    return { outcome: 'read' };
  };
}

export const scenarios: readonly Scenario[] = [
  observing('read', async () => ({ outcome: 'read' })),
  observing('unavailable', async () => ({ outcome: 'unavailable' })),
  observing('read-again', lostOnce()),
  observing('queued-then-read', inTurn<DraftObserved | NoPlace>(NO_PLACE, { outcome: 'read' })),
  observing('crowded', () => Promise.resolve(NO_PLACE)),
];
