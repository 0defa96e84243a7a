import type { Scenario } from '../../replay/scenario.ts';

export const scenarios: readonly Scenario[] = [
  {
    name: 'sweepMaintenance/swept.v1',
    workflow: 'sweepMaintenance',
    workflowId: 'maintenance/sweep',
    args: [],
    activities: { startLostInvocations: async () => 2, deleteExpiredIdempotencyClaims: async () => 3 },
    server: 'time-skipping',
  },
  {
    name: 'sweepMaintenance/swept-with-messages.v2',
    workflow: 'sweepMaintenance',
    workflowId: 'maintenance/sweep',
    args: [],
    activities: {
      startLostInvocations: async () => 2,
      deleteExpiredIdempotencyClaims: async () => 3,
      startLostMessages: async () => 4,
      deleteExpiredDeduplications: async () => 5,
    },
    server: 'time-skipping',
  },
  {
    name: 'sweepMaintenance/swept-with-overdue-reads-and-approvals.v3',
    workflow: 'sweepMaintenance',
    workflowId: 'maintenance/sweep',
    args: [],
    activities: {
      startLostInvocations: async () => 2,
      deleteExpiredIdempotencyClaims: async () => 3,
      startLostMessages: async () => 4,
      deleteExpiredDeduplications: async () => 5,
      startOverdueReads: async () => 6,
      wakeUnwatchedApprovals: async () => 7,
    },
    server: 'time-skipping',
  },
];
