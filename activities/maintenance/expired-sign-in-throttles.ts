import { deleteExpiredThrottles } from '../../db/auth/delete-expired-throttles.ts';
import { findExpiredThrottles } from '../../db/auth/find-expired-throttles.ts';
import type { SweepArea } from './sweep-rows.ts';

/** Counts of failed sign-ins that are forgotten are deleted: nobody may ever sign in again from there. */
export const expiredSignInThrottles: SweepArea<string> = {
  find: (deps, page) => findExpiredThrottles(deps.db, page),
  idOf: (id) => id,
  mend: (deps, ids) => deleteExpiredThrottles(deps.db, ids),
  batchSize: 1_000,
};
