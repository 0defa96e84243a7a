import type { DeclaredSweeps } from '../maintenance/sweep-declarations.ts';

export const sweeps: DeclaredSweeps = {
  steps: {
    'run-partitions': {
      make: 'make_run_partitions',
      drop: 'drop_old_run_partition',
      forget_stored_weeks: 'forget_stored_weeks',
      delete_outside_of_ranges: 'delete_runs_outside_of_ranges',
    },
  },
};
