import { continueAsNew, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { WokenPage } from '../../domain/messages/messages.ts';
import { onQueue, WAKE_OPTIONS } from '../activity-options.ts';
import type { ResumeMessagesInput } from '../../temporal/messages/resume-messages.ts';

/**
 * Wakes the messages that a halt has held, page by page, so that they are delivered at once. Returns how many. Then it grants for
 * the flow-control keys, of which a halt holds all.
 */
export async function resumeMessages(input: ResumeMessagesInput): Promise<number> {
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
    const page: WokenPage = await wakeHeldMessages({ workspaceId, environmentId }, afterId);
    woken += page.woken;
    ({ afterId } = page);
    if (afterId !== null && workflowInfo().continueAsNewSuggested) {
      await continueAsNew<typeof resumeMessages>({ workspaceId, environmentId, afterId });
    }
  }
  for (let afterId: string | null = ''; afterId !== null;) {
    afterId = await grantAfterHalt({ workspaceId, environmentId }, afterId);
  }
  return woken;
}
