import type { DeclaredSweeps } from '../maintenance/sweep-declarations.ts';

export const sweeps: DeclaredSweeps = {
  steps: { 'stored-state': { fold: 'fold_stored_state' } },
};
