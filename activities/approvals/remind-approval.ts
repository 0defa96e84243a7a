import { announceApproval, recordReminder } from '../../db/approvals/changes.ts';
import { raiseInternalEvent } from '../../db/events/publishing.ts';
import type { ApprovalRef } from '../../domain/approvals/approval.ts';
import { isLastReminder } from '../../domain/approvals/reminders.ts';
import type { ActivityDependencies } from '../dependencies.ts';

/** Records a reminder, once by its number. The last one notifies people, with an event that commits with it. */
export function remindApproval(deps: Pick<ActivityDependencies, 'db' | 'logger'>) {
  return async ({ at, reminder, ...ref }: ApprovalRef & { at: string; reminder: number }): Promise<void> => {
    const { approvalId } = ref;
    const isNew = await deps.db.withEnvironment(ref, async (tx) => {
      const recorded = await recordReminder(tx, { approvalId, reminder, at: new Date(at) });
      if (recorded === null) return false;
      announceApproval(tx, approvalId);
      const times = { createdAtMs: recorded.createdAt.getTime(), expiresAtMs: recorded.expiresAt.getTime() };
      if (isLastReminder({ ...times, reminder })) {
        const { title, expiresAt } = recorded;
        await raiseInternalEvent(tx, 'approval.expiring', { approvalId, title, expiresAt: expiresAt.toISOString() });
      }
      return true;
    });
    if (isNew) deps.logger.info({ ...ref, reminder }, 'an approval waits for its decision');
  };
}
