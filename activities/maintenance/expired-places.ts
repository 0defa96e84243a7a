import { deleteExpiredPlaces } from '../../db/in-flight/delete-expired-places.ts';
import { findExpiredPlaces } from '../../db/in-flight/find-expired-places.ts';
import type { SweepArea } from './sweep-rows.ts';

/** Deletes in-flight slots that were never released. They have not counted since they expired. */
export const expiredPlaces: SweepArea<string> = {
  find: (deps, page) => findExpiredPlaces(deps.db, page),
  idOf: (id) => id,
  mend: (deps, ids) => deleteExpiredPlaces(deps.db, ids),
  batchSize: 1_000,
};
