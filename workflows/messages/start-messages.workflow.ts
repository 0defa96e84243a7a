import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { onQueue, WAKE_OPTIONS } from '../activity-options.ts';
import { PermitQueue } from '../permit-queue.ts';
import type { StartMessagesInput } from '../../temporal/messages/start-messages.ts';

/**
 * Starts many messages of an environment, as many as their workspace has permits for, so that no publisher need wait for that. The others
 * queue without a workflow. Returns how many were given.
 */
export async function startMessages({ workspaceId, environmentId, messageIds }: StartMessagesInput): Promise<number> {
  const permits = new PermitQueue();
  const { startInTurn } = proxyActivities<Activities>({
    ...WAKE_OPTIONS,
    ...onQueue('maintenance', { workspaceId }),
    summary: 'lets the messages queue, and starts the first of them',
  });
  await permits.turn('maintenance', () => startInTurn({ workspaceId, environmentId }, messageIds));
  return messageIds.length;
}
