import { deleteOldNotifications, findOldNotifications } from '../../db/notifications/directory.ts';
import type { SweepArea } from './sweep-rows.ts';

/** Deletes notifications, with what was marked of them, 90 days after they were last counted. */
export const oldNotifications: SweepArea<string> = {
  find: (deps, page) => findOldNotifications(deps.db, page),
  idOf: (id) => id,
  mend: (deps, ids) => deleteOldNotifications(deps.db, ids),
  batchSize: 100,
};
