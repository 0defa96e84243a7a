import { deleteExpiredSessions, findExpiredSessions } from '../../db/sessions/directory.ts';
import type { SweepArea } from './sweep-rows.ts';
import { untilNone } from './until-none.ts';

/** Deletes sessions that are past their end, with their messages. The next sweep deletes those that this one does not reach. */
export const expiredSessions: SweepArea<string> = {
  find: (deps, page) => findExpiredSessions(deps.db, page),
  idOf: (id) => id,
  mend: (deps, ids, budget) => untilNone(budget, () => deleteExpiredSessions(deps.db, ids)),
  batchSize: 100,
};
