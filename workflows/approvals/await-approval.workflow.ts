import {
  CancellationScope,
  condition,
  continueAsNew,
  defineSignal,
  isCancellation,
  log,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { ApprovalWatch } from '../../domain/approvals/approval.ts';
import { nextReminderMs } from '../../domain/approvals/reminders.ts';
import { ChatPosts } from './post-to-chats.ts';
import { sqlActivities } from '../activity-options.ts';
import { LaneQueue } from '../lane-queue.ts';
import { searchAttributes } from '../../temporal/search-attributes.ts';
import {
  type AwaitApprovalInput,
  type AwaitApprovalResult,
  DECIDED_SIGNAL,
} from '../../temporal/approvals/await-approval.ts';

const { watchApproval, expireApproval, remindApproval, cancelApproval } = sqlActivities({
  watchApproval: 'reads how the approval stands',
  expireApproval: 'expires the approval, unless it was decided',
  remindApproval: 'reminds those who may decide',
  cancelApproval: 'cancels the approval, unless it was decided',
});
const decided = defineSignal(DECIDED_SIGNAL);

/**
 * Keeps the time of one approval, and waits until it is decided or expires. The decision is read from the row, where the
 * decider committed it; the signal only says that there is something to read. A cancellation of this workflow, or of the
 * invocation that waits for it, cancels the approval unless it was decided before.
 */
export async function awaitApproval(input: AwaitApprovalInput): Promise<AwaitApprovalResult> {
  let signalled = false;
  setHandler(decided, () => {
    signalled = true;
  });
  const hasNews = (): boolean => signalled;
  const root = CancellationScope.current();
  const posts = new ChatPosts(new LaneQueue());
  return CancellationScope.nonCancellable(async () => {
    for (;;) {
      signalled = false;
      const watch = await watchApproval(input);
      if (watch.status !== 'pending') {
        posts.end();
        return ended(watch.status);
      }
      posts.begin(input, watch.unposted ?? []);
      if (root.consideredCancelled) {
        await cancelApproval(input);
        continue;
      }
      const step = stepOf(watch);
      if (step.waitMs > 0) {
        setCurrentDetails(
          `WAITS for people: ${watch.decisions} of ${watch.quorum} approvals; expires at ${watch.expiresAt}; ${watch.remindersSent} reminders`,
        );
        await waitIn(root, hasNews, step);
        if (workflowInfo().continueAsNewSuggested && !root.consideredCancelled)
          await continueAsNew<typeof awaitApproval>(input);
      } else if (step.next === 'expire') {
        await expireApproval({ ...input, at: new Date(Date.now()).toISOString() });
      } else {
        await remindApproval({ ...input, at: new Date(Date.now()).toISOString(), reminder: watch.remindersSent + 1 });
      }
    }
  });
}

/** The next event by the clock of this workflow, and the time until then. */
interface Step {
  next: 'expire' | 'remind';
  waitMs: number;
}

function stepOf(watch: ApprovalWatch): Step {
  const expiresAtMs = Date.parse(watch.expiresAt);
  const reminderMs = nextReminderMs({
    createdAtMs: Date.parse(watch.createdAt),
    expiresAtMs,
    remindersSent: watch.remindersSent,
  });
  const nowMs = Date.now();
  // No reminder is sent after the end: a worker that was away for long goes on to the expiry at once.
  if (reminderMs !== null && nowMs < expiresAtMs) return { next: 'remind', waitMs: reminderMs - nowMs };
  return { next: 'expire', waitMs: expiresAtMs - nowMs };
}

/** Waits for news, the end of the time, or a cancellation of the workflow, which the caller checks itself. */
async function waitIn(root: CancellationScope, hasNews: () => boolean, { next, waitMs }: Step): Promise<void> {
  const summary = `a decision, or the time to ${next}`;
  try {
    await new CancellationScope({ cancellable: true, parent: root }).run(() => condition(hasNews, waitMs, { summary }));
  } catch (error) {
    if (!isCancellation(error)) throw error;
    log.info('cancelled while it waited for a decision');
  }
}

function ended(status: AwaitApprovalResult['status']): AwaitApprovalResult {
  setCurrentDetails(status.toUpperCase());
  upsertSearchAttributes(searchAttributes({ stage: status }));
  return { status };
}
