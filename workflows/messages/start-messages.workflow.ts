import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { onQueue, WAKE_OPTIONS } from '../activity-options.ts';
import type { StartMessagesInput } from '../../temporal/messages/start-messages.ts';

/** Small enough that an activity ends well within its time-out on a slow server. */
const MESSAGES_PER_ACTIVITY = 100;

/** Starts the workflows of a batch, so that its publisher need not wait for a thousand starts. Returns how many. */
export async function startMessages(input: StartMessagesInput): Promise<number> {
  const { wakeMessages } = proxyActivities<Activities>({
    ...WAKE_OPTIONS,
    ...onQueue('maintenance', input),
    summary: 'starts the workflows of some messages of the batch',
  });
  const { workspaceId, environmentId, messageIds } = input;
  for (let from = 0; from < messageIds.length; from += MESSAGES_PER_ACTIVITY) {
    await wakeMessages({ workspaceId, environmentId }, messageIds.slice(from, from + MESSAGES_PER_ACTIVITY));
  }
  return messageIds.length;
}
