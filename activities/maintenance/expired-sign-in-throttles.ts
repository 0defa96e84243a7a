import { deleteExpiredThrottles, findExpiredThrottles } from '../../db/auth/throttle.ts';
import type { SweepArea } from './sweep-rows.ts';

/** Deletes counts of failed sign-ins that no longer matter: nobody may ever sign in from that address again. */
export const expiredSignInThrottles: SweepArea<string> = {
  find: (deps, page) => findExpiredThrottles(deps.db, page),
  idOf: (id) => id,
  mend: (deps, ids) => deleteExpiredThrottles(deps.db, ids),
  batchSize: 1_000,
};
