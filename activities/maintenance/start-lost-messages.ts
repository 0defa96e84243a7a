import { findLostMessages } from '../../db/messages/find-lost-messages.ts';
import type { ActivityDependencies } from '../dependencies.ts';

const PAGE_SIZE = 100;
/** Longer than any attempt takes: a workflow that still has not moved it was terminated, or waits for a worker. */
const OVERDUE_SECONDS = 3_600;

/**
 * Starts the workflow of every message that was accepted a while ago and never begun, or is long overdue: an API process may
 * have died between its commit and its start, or an operator terminated the workflow. One that runs is woken, which changes
 * nothing. Answers how many were looked at.
 */
export function startLostMessages(deps: Pick<ActivityDependencies, 'db' | 'wakeMessage'>) {
  return async (olderThanSeconds: number): Promise<number> => {
    let seen = 0;
    let afterId = '';
    for (;;) {
      const page = { olderThanSeconds, overdueBySeconds: OVERDUE_SECONDS, afterId, limit: PAGE_SIZE };
      const refs = await findLostMessages(deps.db, page);
      for (const ref of refs) await deps.wakeMessage(ref);
      seen += refs.length;
      const last = refs.at(-1);
      if (!last || refs.length < PAGE_SIZE) return seen;
      afterId = last.messageId;
    }
  };
}
