import type { DeclaredSweeps } from '../maintenance/sweep-declarations.ts';

export const sweeps: DeclaredSweeps = {
  steps: {
    analytics: {
      make: 'make_analytics_partitions',
      drop: 'drop_old_analytics_partition',
      fold: 'fold_analytics_facts',
      verify: 'claim_analytics_verification',
    },
  },
};
