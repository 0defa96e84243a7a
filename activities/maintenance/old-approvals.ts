import { deleteOldApprovals, findOldApprovals } from '../../db/approvals/directory.ts';
import type { SweepArea } from './sweep-rows.ts';

/** Deletes free-standing approvals 90 days after their end, with their decisions. The audit log keeps its entries. */
export const oldApprovals: SweepArea<string> = {
  find: (deps, page) => findOldApprovals(deps.db, page),
  idOf: (id) => id,
  mend: (deps, ids) => deleteOldApprovals(deps.db, ids),
  batchSize: 100,
};
