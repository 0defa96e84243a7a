import {
  ActivityFailure,
  log,
  proxyActivities,
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
import { standingOf } from '../../domain/workflow-details.ts';
import { onQueue, READ_OPTIONS, sqlActivities } from '../activity-options.ts';
import { LaneQueue } from '../lane-queue.ts';
import { searchAttributes } from '../../temporal/search-attributes.ts';
import type { WatchReversalInput, WatchReversalResult } from '../../temporal/reconciliation/watch-reversal.ts';

const { beginReversalWatch, planReversalRead, settleReversal } = sqlActivities({
  beginReversalWatch: 'looks at the record before the first read',
  planReversalRead: 'records when the next read is due',
  settleReversal: 'settles from the record',
});

/**
 * Reads once a day, for thirty days, a succeeded effect that its provider may still reverse: a refund that fails after it
 * succeeded. The settlement records when the first read is due, and the sweep starts this workflow then, so nothing else has
 * to remember it. A restarted run continues from the record.
 */
export async function watchReversal(input: WatchReversalInput): Promise<WatchReversalResult> {
  const { readBackEffect } = proxyActivities<Activities>({
    ...READ_OPTIONS,
    ...onQueue('provider-reads', input),
    summary: `reads whether it was reversed: ${input.actionName}`,
  });
  const places = new LaneQueue();
  const begun = await beginReversalWatch(input);
  let { state } = begun;
  const days = Math.round(begun.settledForMs / REVERSAL_READ_INTERVAL_MS);
  // Makes at least the read that it was started for.
  let reads = Math.min(Math.max(0, days - 1), REVERSAL_READS_MAX - 1);
  while (state.status === 'succeeded') {
    try {
      await places.read(input, (place) => readBackEffect({ ...input, ...place }));
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
    if (delayMs === null) break;
    setCurrentDetails(`WAITS: it still stands; the next read at ${nextAt}`);
    await sleep(delayMs, { summary: 'the next read of the provider' });
  }
  setCurrentDetails(standingOf(state));
  upsertSearchAttributes(searchAttributes({ stage: state.stage ?? state.status, grade: state.grade }));
  return state;
}
