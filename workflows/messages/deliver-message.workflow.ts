import {
  CancellationScope,
  condition,
  continueAsNew,
  defineSignal,
  isCancellation,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { MessageEnd } from '../../domain/messages/messages.ts';
import {
  type DeliverMessageInput,
  type DeliverMessageResult,
  WAKE_SIGNAL,
} from '../../temporal/messages/deliver-message.ts';
import { searchAttributes } from '../../temporal/search-attributes.ts';
import { sqlActivities } from '../activity-options.ts';

const wake = defineSignal(WAKE_SIGNAL);

const { handOverMessage, cancelDelivery } = sqlActivities({
  handOverMessage: 'hands the message over to its lane, where it is due',
  cancelDelivery: 'cancels the message',
});

/** A message in its lane may wait behind others, and the signal of its end may be lost. The look becomes rarer. */
const LOOK_MS_MIN = 60_000;
const LOOK_MS_MAX = 3_600_000;
/** Between the tries to cancel a message of which an attempt is under way; it is signalled when that ends. */
const CANCEL_AGAIN_MS = 5_000;

/**
 * The waits of one message: until it is due, and from its first failed attempt until the next one. Each time it hands the message over to
 * its lane, where a claimer makes the attempt and signals how that ended. What is due is decided from the message's row; this workflow keeps
 * the time. Cancelling it cancels the message.
 */
export async function deliverMessage(ref: DeliverMessageInput): Promise<DeliverMessageResult> {
  let isWoken = false;
  setHandler(wake, () => {
    isWoken = true;
  });
  try {
    for (let looks = 0; ;) {
      isWoken = false;
      const step = await handOverMessage(ref);
      if (step.next === 'end') return ended(step.status);
      if (step.next === 'wait') {
        looks = 0;
        setCurrentDetails(`WAITS: the next attempt at ${new Date(Date.now() + step.dueInMs).toISOString()}`);
        await condition(() => isWoken, step.dueInMs, { summary: 'the next attempt' });
      } else {
        setCurrentDetails('DUE: in its lane, or being sent');
        await condition(() => isWoken, Math.min(LOOK_MS_MAX, LOOK_MS_MIN * 2 ** looks++), {
          summary: 'the end of the attempt',
        });
      }
      if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof deliverMessage>(ref);
    }
  } catch (error) {
    if (!isCancellation(error)) throw error;
    return CancellationScope.nonCancellable(async () => {
      for (;;) {
        isWoken = false;
        const status = await cancelDelivery(ref);
        if (status !== null) return ended(status);
        await condition(() => isWoken, CANCEL_AGAIN_MS, { summary: 'the end of the attempt that is under way' });
      }
    });
  }
}

function ended(status: MessageEnd): DeliverMessageResult {
  setCurrentDetails(status.toUpperCase());
  upsertSearchAttributes(searchAttributes({ stage: status }));
  return { status };
}
