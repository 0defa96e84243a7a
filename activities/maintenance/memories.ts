import { deleteMemories, lockExpired } from '../../db/memory/deletion.ts';
import { findExpiredMemories, type MemoryRef } from '../../db/memory/directory.ts';
import { FORGET_PAGE_SIZE } from '../../domain/memory/memory-jobs.ts';
import type { SweepArea } from './sweep-rows.ts';

/** The number of transactions in which one sweep deletes memories that were derived from one; the next sweep continues. */
const PAGES_A_SWEEP_MAX = 40;

/** Deletes memories whose time is over, with their chains and what was derived. A later version of one may be gone with it. */
export const expiredMemories: SweepArea<MemoryRef> = {
  find: (deps, page) => findExpiredMemories(deps.db, page),
  idOf: ({ memoryId }) => memoryId,
  mend: async ({ db }, refs, budget) => {
    for (const ref of refs) {
      let isWhole = false;
      for (let page = 0; !isWhole && page < PAGES_A_SWEEP_MAX; page++) {
        isWhole = await db.withEnvironment(ref, async (tx) => {
          if (!(await lockExpired(tx, ref.memoryId))) return true;
          return (await deleteMemories(tx, [ref.memoryId], FORGET_PAGE_SIZE)).isWhole;
        });
        if (budget.isOver()) break;
      }
    }
  },
  batchSize: 1,
};
