/** The registry: the workflows in the worker's bundle. A workflow's name is permanent, as its code is. */
export { awaitApproval } from './approvals/await-approval.workflow.ts';
export { clearDeadLetters } from './dead-letters/clear-dead-letters.workflow.ts';
export { retryDeadLetters } from './dead-letters/retry-dead-letters.workflow.ts';
export { fanOutEvent } from './events/fan-out-event.workflow.ts';
export { recoverSubscription } from './events/recover-subscription.workflow.ts';
export { paceFlowControl } from './flow-control/pace-flow-control.workflow.ts';
export { invokeAction } from './invocations/invoke-action.workflow.ts';
export { sweepMaintenance } from './maintenance/sweep-maintenance.workflow.ts';
export { deliverMessage } from './messages/deliver-message.workflow.ts';
export { sendEmail } from './notifications/send-email.workflow.ts';
export { resumeMessages } from './messages/resume-messages.workflow.ts';
export { startMessages } from './messages/start-messages.workflow.ts';
export { fireSchedule } from './schedules/fire-schedule.workflow.ts';
export { observePreview } from './previews/observe-preview.workflow.ts';
export { reconcileEffect } from './reconciliation/reconcile-effect.workflow.ts';
export { replayEffect } from './reconciliation/replay-effect.workflow.ts';
export { watchReversal } from './reconciliation/watch-reversal.workflow.ts';
