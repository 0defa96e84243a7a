import { ActivityFailure, TimeoutFailure } from '@temporalio/common';
import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { DeliveryStep, MessageRef } from '../../domain/messages/messages.ts';
import { ATTEMPT_AT_ONCE_OPTIONS, ATTEMPT_OPTIONS, onQueue } from '../activity-options.ts';

/**
 * Attempts a message at once, in the worker that runs this workflow task: that saves the way through Temporal's matching. Where that
 * worker has no slot for it, nothing was done, and the attempt waits its turn in the queue of deliveries.
 */
export async function attemptOf(ref: MessageRef): Promise<DeliveryStep> {
  const summary = 'attempts the message, where it is due';
  const priority = { fairnessKey: ref.workspaceId };
  const { attemptMessageAtOnce } = proxyActivities<Activities>({ ...ATTEMPT_AT_ONCE_OPTIONS, priority, summary });
  try {
    const step = await attemptMessageAtOnce(ref);
    if (step !== null) return step;
  } catch (error) {
    if (!hasNotBegun(error)) throw error;
  }
  const { attemptMessage } = proxyActivities<Activities>({
    ...ATTEMPT_OPTIONS,
    ...onQueue('deliveries', ref),
    summary,
  });
  return attemptMessage(ref);
}

function hasNotBegun(error: unknown): boolean {
  if (!(error instanceof ActivityFailure)) return false;
  return error.cause instanceof TimeoutFailure && error.cause.timeoutType === 'SCHEDULE_TO_START';
}
