import type { Fired, FiringRef } from '../../../domain/schedules/schedules.ts';
import { ENVIRONMENT, type Scenario } from '../../replay/scenario.ts';

const firing: FiringRef = {
  scheduleId: 'sch_0000000000000000000001',
  trigger: 'schedule',
  nominalAt: '2026-11-22T09:00:00.000Z',
  ...ENVIRONMENT,
};

const firingThat = (what: string, fired: Fired): Scenario => ({
  name: `fireSchedule/${what}.v1`,
  workflow: 'fireSchedule',
  workflowId: `schedule/${firing.scheduleId}-${firing.nominalAt}`,
  args: [firing],
  activities: { fireSlot: () => Promise.resolve(fired) },
  server: 'time-skipping',
});

export const scenarios: readonly Scenario[] = [
  firingThat('published-to-a-group', {
    outcome: 'published',
    messageIds: ['msg_0000000000000000000001', 'msg_0000000000000000000002'],
  }),
  firingThat('failed', { outcome: 'failed', messageIds: [] }),
  firingThat('not-due', { outcome: 'none', messageIds: [] }),
];
