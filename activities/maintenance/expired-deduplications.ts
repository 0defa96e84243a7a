import { deleteExpiredDeduplications, findExpiredDeduplications } from '../../db/messages/directory.ts';
import type { SweepArea } from './sweep-rows.ts';

/** Deletes deduplication windows of messages that are over. */
export const expiredDeduplications: SweepArea<string> = {
  find: (deps, page) => findExpiredDeduplications(deps.db, page),
  idOf: (id) => id,
  mend: (deps, ids) => deleteExpiredDeduplications(deps.db, ids),
  batchSize: 1_000,
};
