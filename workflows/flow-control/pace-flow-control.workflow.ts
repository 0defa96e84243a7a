import {
  condition,
  continueAsNew,
  defineSignal,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { PACE_SIGNAL, type PaceFlowControlInput } from '../../temporal/flow-control/pace-flow-control.ts';
import { onQueue, WAKE_OPTIONS } from '../activity-options.ts';
import { PermitQueue } from '../permit-queue.ts';

const pace = defineSignal(PACE_SIGNAL);

/**
 * Grants messages that wait only for time: the next window, the end of a hold, a scheduled message. Each look answers when the next one
 * is due. The workflow ends if there is none. A signal that arrives at its end counts: Temporal does not let a workflow complete with an
 * unhandled signal, so the newcomer who sent it is not lost.
 */
export async function paceFlowControl(ref: PaceFlowControlInput): Promise<void> {
  const permits = new PermitQueue();
  const { grantByTime } = proxyActivities<Activities>({
    ...WAKE_OPTIONS,
    ...onQueue('maintenance', ref),
    summary: 'grants what is due, and says when to look next',
  });
  let isTold = false;
  setHandler(pace, () => {
    isTold = true;
  });
  for (;;) {
    isTold = false;
    const nextInMs = await permits.turn('maintenance', () => grantByTime(ref));
    if (nextInMs === null && !isTold) return;
    if (nextInMs !== null && nextInMs > 0) {
      setCurrentDetails(`WAITS: the next look at ${new Date(Date.now() + nextInMs).toISOString()}`);
      await condition(() => isTold, nextInMs, { summary: 'until the next window, the end of a hold, or a due time' });
    }
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof paceFlowControl>(ref);
  }
}
