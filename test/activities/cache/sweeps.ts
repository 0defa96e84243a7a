import type { DeclaredSweeps } from '../maintenance/sweep-declarations.ts';

export const sweeps: DeclaredSweeps = { steps: { 'expired-cache': { delete: 'delete_expired_cache_entries' } } };
