import { findOverdueReads } from '../../db/reconciliation/find-overdue-reads.ts';
import type { ActivityDependencies } from '../dependencies.ts';

const PAGE_SIZE = 100;

/**
 * Starts the reconciliation of every effect whose next read is overdue: its workflow was terminated, or was lost before it
 * began. And the watch over what has succeeded and may still be reversed, when its first read is due. One that runs is left
 * alone; a second one would only read. Answers how many were looked at. One that cannot be started does not keep the others
 * waiting: the first failure is thrown at the end.
 */
export function startOverdueReads(deps: Pick<ActivityDependencies, 'db' | 'startReads' | 'logger'>) {
  return async (overdueBySeconds: number): Promise<number> => {
    let seen = 0;
    let afterId = '';
    const failures: unknown[] = [];
    for (;;) {
      const page = await findOverdueReads(deps.db, { overdueBySeconds, afterId, limit: PAGE_SIZE });
      for (const { stage, ...ref } of page) {
        try {
          await deps.startReads(ref, stage === 'reconciling' ? 'reconciliation' : 'reversal');
        } catch (error) {
          deps.logger.warn({ ...ref, err: error }, 'could not start an overdue read: the next sweep tries again');
          failures.push(error);
        }
      }
      seen += page.length;
      const last = page.at(-1);
      if (!last || page.length < PAGE_SIZE) break;
      afterId = last.effectId;
    }
    if (failures.length > 0) throw failures[0];
    return seen;
  };
}
