import { findUnsettledInvocations } from '../../db/invocations/find-unsettled-invocations.ts';
import type { ActivityDependencies } from '../dependencies.ts';

const PAGE_SIZE = 100;

/**
 * Starts the workflow of every invocation that was admitted a while ago and has not come to rest: an API process may have
 * died between its commit and its start, or an operator terminated the workflow. A workflow that runs is left alone, and one
 * that is started a second time finds the fence and sends nothing. Answers how many were looked at. One that cannot be started
 * does not keep the others waiting: the first failure is thrown at the end.
 */
export function startLostInvocations(deps: Pick<ActivityDependencies, 'db' | 'startInvocation' | 'logger'>) {
  return async (olderThanSeconds: number): Promise<number> => {
    let seen = 0;
    let afterId = '';
    const failures: unknown[] = [];
    for (;;) {
      const page = await findUnsettledInvocations(deps.db, { olderThanSeconds, afterId, limit: PAGE_SIZE });
      for (const ref of page) {
        try {
          await deps.startInvocation(ref);
        } catch (error) {
          deps.logger.warn({ ...ref, err: error }, 'could not start a lost invocation: the next sweep tries again');
          failures.push(error);
        }
      }
      seen += page.length;
      const last = page.at(-1);
      if (!last || page.length < PAGE_SIZE) break;
      afterId = last.invocationId;
    }
    if (failures.length > 0) throw failures[0];
    return seen;
  };
}
