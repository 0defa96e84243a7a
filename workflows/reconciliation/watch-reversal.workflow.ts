import {
  ActivityFailure,
  log,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  sleep,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import {
  nextReversalReadDelayMs,
  REVERSAL_READ_INTERVAL_MS,
  REVERSAL_READS_MAX,
} from '../../domain/reconciliation/schedule.ts';
import { onQueue, READ_OPTIONS, SQL_OPTIONS } from '../activity-options.ts';
import { PermitQueue } from '../permit-queue.ts';
import { searchAttributes } from '../../temporal/search-attributes.ts';
import type { WatchReversalInput, WatchReversalResult } from '../../temporal/reconciliation/watch-reversal.ts';

const { beginReversalWatch, planReversalRead, settleReversal } = proxyLocalActivities<Activities>(SQL_OPTIONS);

/**
 * Reads once a day, for thirty days, a succeeded effect that its provider may still reverse: a refund that fails after it
 * succeeded. The settlement records when the first read is due, and the sweep starts this workflow then, so nothing else has
 * to remember it. A restarted run continues from the record.
 */
export async function watchReversal(input: WatchReversalInput): Promise<WatchReversalResult> {
  const { readBackEffect } = proxyActivities<Activities>({
    ...READ_OPTIONS,
    ...onQueue('provider-reads', input),
    summary: input.actionName,
  });
  const permits = new PermitQueue();
  const begun = await beginReversalWatch(input);
  let { state } = begun;
  const days = Math.round(begun.settledForMs / REVERSAL_READ_INTERVAL_MS);
  // Makes at least the read that it was started for.
  let reads = Math.min(Math.max(0, days - 1), REVERSAL_READS_MAX - 1);
  while (state.status === 'succeeded') {
    try {
      await permits.read(input, (permit) => readBackEffect({ ...input, ...permit }));
    } catch (error) {
      if (!(error instanceof ActivityFailure)) throw error;
      log.warn('a read did not report back: it counts as one that said nothing', { reason: error.cause?.message });
    }
    reads++;
    state = await settleReversal(input);
    if (state.status !== 'succeeded') break;
    const delayMs = nextReversalReadDelayMs(reads, Math.random());
    const nextAt = delayMs === null ? null : new Date(Date.now() + delayMs).toISOString();
    await planReversalRead(input, nextAt);
    setCurrentDetails(
      nextAt === null ? 'it still stands after thirty days' : `it still stands; the next read at ${nextAt}`,
    );
    if (delayMs === null) break;
    await sleep(delayMs);
  }
  upsertSearchAttributes(searchAttributes({ stage: state.stage ?? state.status, grade: state.grade }));
  return state;
}
