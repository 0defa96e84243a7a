import { deleteOldPreviews, findOldPreviews } from '../../db/previews/directory.ts';
import type { SweepArea } from './sweep-rows.ts';

/** Deletes unused previews 30 days after they expired, a chain of refreshed ones from its newest link on. */
export const oldPreviews: SweepArea<string> = {
  find: (deps, page) => findOldPreviews(deps.db, page),
  idOf: (id) => id,
  mend: (deps, ids) => deleteOldPreviews(deps.db, ids),
  batchSize: 100,
};
