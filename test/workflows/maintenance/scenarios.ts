import { ApplicationFailure } from '@temporalio/common';
import type { Activities } from '../../../activities/index.ts';
import type { Scenario } from '../../replay/scenario.ts';

const sweeping = (what: string, sweepArea: Activities['sweepArea']): Scenario => ({
  name: `sweepMaintenance/${what}.v1`,
  workflow: 'sweepMaintenance',
  workflowId: 'maintenance/sweep',
  args: [],
  activities: { listSweepAreas: () => Promise.resolve(['lost-invocations', 'lost-messages']), sweepArea },
  server: 'time-skipping',
});

export const scenarios: readonly Scenario[] = [
  sweeping('swept', () => Promise.resolve({ seen: 2, failed: 0 })),
  sweeping('one-area-broken', (name) => {
    if (name === 'lost-invocations') throw ApplicationFailure.nonRetryable('its rows cannot be read');
    return Promise.resolve({ seen: 3, failed: 1 });
  }),
];
