import { deleteExpiredDeduplications as deleteBatch } from '../../db/messages/delete-expired-deduplications.ts';
import type { ActivityDependencies } from '../dependencies.ts';

const BATCH_SIZE = 1_000;

/** Deletes the deduplication windows of messages that are over. Answers how many. */
export function deleteExpiredDeduplications(deps: Pick<ActivityDependencies, 'db'>) {
  return async (): Promise<number> => {
    let deleted = 0;
    for (;;) {
      const batch = await deleteBatch(deps.db, BATCH_SIZE);
      deleted += batch;
      if (batch < BATCH_SIZE) return deleted;
    }
  };
}
