import { findUnwatchedApprovals } from '../../db/approvals/find-unwatched-approvals.ts';
import type { ActivityDependencies } from '../dependencies.ts';

const PAGE_SIZE = 100;

/**
 * Wakes the workflow of every approval that has not heard of what became of it: the API process that decided may have died
 * before it could tell, Temporal may have been away, or an operator terminated the workflow. Waking reads the row and nothing else, so
 * that once more does no harm. Answers how many were looked at. One that cannot be woken does not keep the others waiting: the first
 * failure is thrown at the end.
 */
export function wakeUnwatchedApprovals(deps: Pick<ActivityDependencies, 'db' | 'wakeApproval' | 'logger'>) {
  return async (olderThanSeconds: number): Promise<number> => {
    let seen = 0;
    const failures: unknown[] = [];
    for (let afterId: string | null = ''; afterId !== null;) {
      const page = await findUnwatchedApprovals(deps.db, { olderThanSeconds, afterId, limit: PAGE_SIZE });
      for (const ref of page) {
        try {
          await deps.wakeApproval(ref);
        } catch (error) {
          deps.logger.warn(
            { ...ref, err: error },
            'could not wake the workflow of an approval: the next sweep tries again',
          );
          failures.push(error);
        }
      }
      seen += page.length;
      afterId = page.length < PAGE_SIZE ? null : (page.at(-1)?.approvalId ?? null);
    }
    if (failures.length > 0) throw failures[0];
    return seen;
  };
}
