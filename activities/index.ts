import { cancelApproval, expireApproval } from './approvals/end-approval.ts';
import { remindApproval } from './approvals/remind-approval.ts';
import { watchApproval } from './approvals/watch-approval.ts';
import {
  collectInvoice,
  findOpenAdmissions,
  findStillOpenAdmissions,
  finishMonth,
  issueInvoice,
  snapshotMonth,
} from './billing/close-month.ts';
import { clearDeadLetterPage } from './dead-letters/clear-page.ts';
import { retryDeadLetterPage } from './dead-letters/retry-page.ts';
import { postApproval } from './integrations/post-approval.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { fanOutPage } from './events/fan-out-page.ts';
import { recoverSubscriptionPage } from './events/recover-page.ts';
import { isUnclaimed } from './in-flight/is-unclaimed.ts';
import { leaveQueue } from './in-flight/leave-queue.ts';
import { workInTurn } from './in-flight/work-in-turn.ts';
import { advanceInvocation } from './invocations/advance-invocation.ts';
import { dispatchEffect } from './invocations/dispatch-effect.ts';
import { settleInvocation } from './invocations/settle-invocation.ts';
import { listSweepAreas, sweepArea } from './maintenance/sweep-area.ts';
import { forgetMemoryPage } from './memory/forget-page.ts';
import { ingestMemoryPage } from './memory/ingest-page.ts';
import { cancelDelivery, handOverMessageWhenDue, handOverPacedMessages } from './messages/hand-over.ts';
import { sendNotificationEmail } from './notifications/send-email.ts';
import { fireSlot } from './schedules/fire-slot.ts';
import { observeDraft } from './previews/observe-draft.ts';
import { observeTarget } from './previews/observe-target.ts';
import {
  beginReconciliation,
  exhaustReconciliation,
  planReconciliation,
} from './reconciliation/plan-reconciliation.ts';
import { readBackEffect } from './reconciliation/read-back-effect.ts';
import { sendReplay, settleReplay } from './reconciliation/send-replay.ts';
import { beginReversalWatch, planReversalRead, settleReversal } from './reconciliation/watch-reversal.ts';
import { endingWhereGone } from './ending-where-gone.ts';

/** All activities, with their dependencies bound. The Temporal UI shows their names. */
export function createActivities(deps: ActivityDependencies) {
  return endingWhereGone(deps, {
    advanceInvocation: advanceInvocation(deps),
    dispatchEffect: dispatchEffect(deps),
    settleInvocation: settleInvocation(deps),
    watchApproval: watchApproval(deps),
    remindApproval: remindApproval(deps),
    expireApproval: expireApproval(deps),
    cancelApproval: cancelApproval(deps),
    postApproval: workInTurn(deps, 'notification', postApproval(deps), { partOf: (ref) => ref.integrationId }),
    isUnclaimed: isUnclaimed(deps),
    leaveQueue: leaveQueue(deps),
    readBackEffect: readBackEffect(deps),
    observeTarget: observeTarget(deps),
    observeDraft: observeDraft(deps),
    beginReconciliation: beginReconciliation(deps),
    planReconciliation: planReconciliation(deps),
    exhaustReconciliation: exhaustReconciliation(deps),
    sendReplay: sendReplay(deps),
    settleReplay: settleReplay(deps),
    beginReversalWatch: beginReversalWatch(deps),
    planReversalRead: planReversalRead(deps),
    settleReversal: settleReversal(deps),
    handOverMessage: handOverMessageWhenDue(deps),
    handOverPaced: handOverPacedMessages(deps),
    cancelDelivery: cancelDelivery(deps),
    retryDeadLetterPage: workInTurn(deps, 'maintenance', retryDeadLetterPage(deps)),
    clearDeadLetterPage: workInTurn(deps, 'maintenance', clearDeadLetterPage(deps)),
    fanOutPage: workInTurn(deps, 'maintenance', fanOutPage(deps)),
    recoverSubscriptionPage: workInTurn(deps, 'maintenance', recoverSubscriptionPage(deps)),
    ingestMemoryPage: workInTurn(deps, 'maintenance', ingestMemoryPage(deps)),
    forgetMemoryPage: workInTurn(deps, 'maintenance', forgetMemoryPage(deps)),
    sendNotificationEmail: workInTurn(deps, 'notification', sendNotificationEmail(deps)),
    fireSlot: fireSlot(deps),
    findOpenAdmissions: findOpenAdmissions(deps),
    findStillOpenAdmissions: findStillOpenAdmissions(deps),
    snapshotMonth: snapshotMonth(deps),
    issueInvoice: issueInvoice(deps),
    collectInvoice: collectInvoice(deps),
    finishMonth: finishMonth(deps),
    listSweepAreas: listSweepAreas(),
    sweepArea: sweepArea(deps),
  });
}

export type Activities = ReturnType<typeof createActivities>;
