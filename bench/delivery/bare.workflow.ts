import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { BareActivities } from './bare-activities.ts';
import type { Message } from './side.ts';

/** As many attempts as ours and the same back-off, without its jitter: e^(2.5 n) s, at most a day. */
const { deliver } = proxyActivities<BareActivities>({
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '12 seconds', backoffCoefficient: 12.2, maximumInterval: '1 day', maximumAttempts: 6 },
});

/** What a user would write without this service. */
export async function bareDeliver(message: Message): Promise<number> {
  return deliver(workflowInfo().workflowId, message);
}
