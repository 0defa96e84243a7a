import { continueAsNew, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { WokenPage } from '../../domain/messages/messages.ts';
import { onQueue, WAKE_OPTIONS } from '../activity-options.ts';
import type { ResumeMessagesInput } from '../../temporal/messages/resume-messages.ts';

/** Wakes the messages that a halt has held, page by page, so that they are delivered at once. Returns how many. */
export async function resumeMessages(input: ResumeMessagesInput): Promise<number> {
  const { wakeHeldMessages } = proxyActivities<Activities>({
    ...WAKE_OPTIONS,
    ...onQueue('maintenance', input),
    summary: 'wakes a page of the messages that the halt has held',
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
  return woken;
}
