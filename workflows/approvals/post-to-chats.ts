import {
  ActivityCancellationType,
  CancellationScope,
  isCancellation,
  log,
  proxyActivities,
} from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { ApprovalRef } from '../../domain/approvals/approval.ts';
import { onQueue } from '../activity-options.ts';
import type { LaneQueue } from '../lane-queue.ts';

/**
 * Posts an approval to the chats of its environment while its workflow keeps the time: nobody waits for a chat, and an ended approval is
 * no longer posted. Each post is a row, so that the next run of the workflow makes only the missing posts.
 */
export class ChatPosts {
  private readonly scope = new CancellationScope({ cancellable: true });
  private readonly begun = new Set<string>();
  private readonly places: LaneQueue;

  constructor(places: LaneQueue) {
    this.places = places;
  }

  /** Begins what was not begun before. */
  begin(ref: ApprovalRef, integrationIds: readonly string[]): void {
    for (const integrationId of integrationIds) {
      if (this.begun.has(integrationId)) continue;
      this.begun.add(integrationId);
      const { postApproval } = proxyActivities<Activities>({
        ...onQueue('notifications', ref),
        startToCloseTimeout: '1 minute',
        cancellationType: ActivityCancellationType.TRY_CANCEL,
        retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '10 minutes' },
        summary: 'posts the approval to a chat',
      });
      const { approvalId, workspaceId, environmentId, invocationId } = ref;
      const post = { approvalId, workspaceId, environmentId, invocationId, integrationId };
      // It is retried for ever; what it throws in the end is the cancellation below, or that of the workflow.
      void this.scope
        .run(() => this.places.turn('notifications', () => postApproval(post), { isAside: true }))
        .catch((error: unknown) => {
          if (!isCancellation(error)) log.error('an approval was not posted to a chat', { integrationId, error });
        });
    }
  }

  end(): void {
    this.scope.cancel();
  }
}
