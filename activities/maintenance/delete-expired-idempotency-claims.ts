import { deleteExpiredClaims } from '../../db/idempotency/delete-expired-claims.ts';
import type { ActivityDependencies } from '../dependencies.ts';

const BATCH_SIZE = 1_000;

/** Deletes the claims of Idempotency-Keys that are past their 24 hours. Answers how many. */
export function deleteExpiredIdempotencyClaims(deps: ActivityDependencies) {
  return async (): Promise<number> => {
    let deleted = 0;
    for (;;) {
      const batch = await deleteExpiredClaims(deps.db, BATCH_SIZE);
      deleted += batch;
      if (batch < BATCH_SIZE) return deleted;
    }
  };
}
