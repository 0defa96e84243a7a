import { deleteExpiredPermits, findExpiredPermits } from '../../db/in-flight/directory.ts';
import type { SweepArea } from './sweep-rows.ts';

/** Deletes permits that were never released. They have not counted since they expired. */
export const expiredPermits: SweepArea<string> = {
  find: (deps, page) => findExpiredPermits(deps.db, page),
  idOf: (id) => id,
  mend: (deps, ids) => deleteExpiredPermits(deps.db, ids),
  batchSize: 1_000,
};
