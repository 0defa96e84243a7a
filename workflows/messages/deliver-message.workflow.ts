import {
  condition,
  continueAsNew,
  defineSignal,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { attemptOf } from './attempt-of.ts';
import { startDelivery } from '../start-delivery.ts';
import { searchAttributes } from '../../temporal/search-attributes.ts';
import {
  type DeliverMessageInput,
  type DeliverMessageResult,
  WAKE_SIGNAL,
} from '../../temporal/messages/deliver-message.ts';

const wake = defineSignal(WAKE_SIGNAL);

/**
 * The life of one message: wait until it is due, attempt, wait for the next attempt, until it is delivered, failed or
 * cancelled. Each attempt decides from the message's row what is due; this workflow keeps the time. A message with a
 * flow-control key waits in a queue of the database instead: its workflow ends, and begins anew when it is granted. A signal that
 * arrives with that end counts, because Temporal lets no workflow complete with a signal that it has not handled.
 */
export async function deliverMessage(ref: DeliverMessageInput): Promise<DeliverMessageResult> {
  let woken = false;
  setHandler(wake, () => {
    woken = true;
  });
  for (;;) {
    woken = false;
    const step = await attemptOf(ref);
    if (step.next === 'end') {
      for (const messageId of step.callbackIds) await startDelivery({ ...ref, messageId });
      setCurrentDetails(step.status.toUpperCase());
      upsertSearchAttributes(searchAttributes({ stage: step.status }));
      return { status: step.status };
    }
    if (step.next === 'park') {
      if (woken) continue;
      upsertSearchAttributes(searchAttributes({ stage: 'parked' }));
      return { status: 'parked' };
    }
    const { delayMs, isQueued } = step;
    const summary = isQueued ? 'queued behind other deliveries of its workspace; the next look' : 'the next attempt';
    setCurrentDetails(`WAITS: ${summary} at ${new Date(Date.now() + delayMs).toISOString()}`);
    await condition(() => woken, delayMs, { summary });
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof deliverMessage>(ref);
  }
}
