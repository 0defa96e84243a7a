import { patched, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import {
  LOST_AFTER_SECONDS,
  OVERDUE_READ_SECONDS,
  type SweepResult,
} from '../../temporal/maintenance/sweep-maintenance.ts';

const {
  startLostInvocations,
  deleteExpiredIdempotencyClaims,
  startLostMessages,
  deleteExpiredDeduplications,
  startOverdueReads,
  wakeUnwatchedApprovals,
} = proxyActivities<Activities>({
  startToCloseTimeout: '5 minutes',
  retry: { maximumAttempts: 3 },
});

/** What a crash may leave behind, found and mended once a minute: work without its workflow, claims past their time. */
export async function sweepMaintenance(): Promise<SweepResult> {
  const invocationsLookedAt = await startLostInvocations(LOST_AFTER_SECONDS);
  const claimsDeleted = await deleteExpiredIdempotencyClaims();
  if (!patched('messages')) return { invocationsLookedAt, claimsDeleted };
  const messagesLookedAt = await startLostMessages(LOST_AFTER_SECONDS);
  const deduplicationsDeleted = await deleteExpiredDeduplications();
  const swept = { invocationsLookedAt, claimsDeleted, messagesLookedAt, deduplicationsDeleted };
  if (!patched('overdue-reads')) return swept;
  const overdueReadsLookedAt = await startOverdueReads(OVERDUE_READ_SECONDS);
  if (!patched('approvals')) return { ...swept, overdueReadsLookedAt };
  return { ...swept, overdueReadsLookedAt, approvalsLookedAt: await wakeUnwatchedApprovals(LOST_AFTER_SECONDS) };
}
