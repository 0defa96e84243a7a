import {
  condition,
  continueAsNew,
  defineSignal,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { PACE_SIGNAL, type PaceMessagesInput } from '../../temporal/messages/pace-messages.ts';
import { sqlActivities } from '../activity-options.ts';

const pace = defineSignal(PACE_SIGNAL);

const { handOverPaced } = sqlActivities({
  handOverPaced: 'hands over the messages that are due, and says when the next is',
});

/**
 * Hands over the scheduled messages of an environment that have no workflow of their own, a page at a time, and sleeps until the next is
 * due. It ends if none is left. A signal that arrives at its end counts: Temporal does not let a workflow complete with an unhandled
 * signal, so the newcomer who sent it is not lost.
 */
export async function paceMessages({ workspaceId, environmentId }: PaceMessagesInput): Promise<void> {
  const ref = { workspaceId, environmentId };
  let isTold = false;
  setHandler(pace, () => {
    isTold = true;
  });
  for (;;) {
    isTold = false;
    const nextInMs = await handOverPaced(ref);
    if (nextInMs === null && !isTold) return;
    if (nextInMs !== null && nextInMs > 0) {
      setCurrentDetails(`WAITS: the next look at ${new Date(Date.now() + nextInMs).toISOString()}`);
      await condition(() => isTold, nextInMs, { summary: 'until the next message is due' });
    }
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof paceMessages>(ref);
  }
}
