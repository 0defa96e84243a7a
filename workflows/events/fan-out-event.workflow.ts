import {
  continueAsNew,
  proxyActivities,
  setCurrentDetails,
  setWorkflowOptions,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { FanOutEventInput, FanOutEventResult } from '../../temporal/events/fan-out-event.ts';
import { onQueue, PAGE_OPTIONS } from '../activity-options.ts';
import { LaneQueue } from '../lane-queue.ts';
import { pinned } from '../pinned.ts';

setWorkflowOptions(pinned, fanOutEvent);

/** Makes the messages of an event, page by page. Each page decides everything from the event's row. */
export async function fanOutEvent(ref: FanOutEventInput): Promise<FanOutEventResult> {
  const places = new LaneQueue();
  const { fanOutPage } = proxyActivities<Activities>({
    ...PAGE_OPTIONS,
    ...onQueue('maintenance', ref),
    summary: 'makes the messages of a page of subscriptions',
  });
  for (;;) {
    const step = await places.turn('maintenance', () => fanOutPage(ref));
    if (step.next === 'end') {
      const { status, deliveries } = step;
      setCurrentDetails(`${status === 'failed' ? 'FAILED' : 'FANNED OUT'}: ${deliveries} deliveries`);
      return { status, deliveries };
    }
    if (workflowInfo().continueAsNewSuggested) return continueAsNew<typeof fanOutEvent>(ref);
  }
}
