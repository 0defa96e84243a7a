import { continueAsNew, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { WokenPage } from '../../domain/messages/messages.ts';
import { onQueue, WAKE_OPTIONS } from '../activity-options.ts';
import { PermitQueue } from '../permit-queue.ts';
import type { ResumeMessagesInput } from '../../temporal/messages/resume-messages.ts';

/**
 * Wakes the messages that a halt has held, page by page, so that they are delivered at once. Returns how many. Then it grants for
 * the flow-control keys, of which a halt holds all.
 */
export async function resumeMessages(input: ResumeMessagesInput): Promise<number> {
  const permits = new PermitQueue();
  const options = { ...WAKE_OPTIONS, ...onQueue('maintenance', input) };
  const { wakeHeldMessages } = proxyActivities<Activities>({
    ...options,
    summary: 'wakes a page of the messages that the halt has held',
  });
  const { grantAfterHalt } = proxyActivities<Activities>({
    ...options,
    summary: 'lets a page of the flow-control keys that the halt has held grant again',
  });
  const { workspaceId, environmentId } = input;
  let woken = 0;
  for (let afterId: string | null = input.afterId ?? ''; afterId !== null;) {
    const after: string = afterId;
    const page: WokenPage = await permits.turn('maintenance', () =>
      wakeHeldMessages({ workspaceId, environmentId }, after),
    );
    woken += page.woken;
    ({ afterId } = page);
    if (afterId !== null && workflowInfo().continueAsNewSuggested) {
      await continueAsNew<typeof resumeMessages>({ workspaceId, environmentId, afterId });
    }
  }
  for (let afterId: string | null = ''; afterId !== null;) {
    const after: string = afterId;
    afterId = await permits.turn('maintenance', () => grantAfterHalt({ workspaceId, environmentId }, after));
  }
  return woken;
}
