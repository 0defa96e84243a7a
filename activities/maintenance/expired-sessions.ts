import { deleteExpiredSessions, findExpiredSessions } from '../../db/sessions/expired-sessions.ts';
import type { SweepArea } from './sweep-rows.ts';
import { untilNone } from './until-none.ts';

/** Deletes sessions that are past their end, with their messages. What one sweep does not reach is left to the next. */
export const expiredSessions: SweepArea<string> = {
  find: (deps, page) => findExpiredSessions(deps.db, page),
  idOf: (id) => id,
  mend: (deps, ids, budget) => untilNone(budget, () => deleteExpiredSessions(deps.db, ids)),
  batchSize: 100,
};
