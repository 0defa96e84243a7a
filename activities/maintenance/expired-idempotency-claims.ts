import { deleteExpiredClaims, findExpiredClaims } from '../../db/idempotency/directory.ts';
import type { SweepArea } from './sweep-rows.ts';

/** Deletes claims of Idempotency-Keys that are past their 24 hours. */
export const expiredIdempotencyClaims: SweepArea<string> = {
  find: (deps, page) => findExpiredClaims(deps.db, page),
  idOf: (id) => id,
  mend: (deps, ids) => deleteExpiredClaims(deps.db, ids),
  batchSize: 1_000,
};
