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
import { searchAttributes } from '../../temporal/search-attributes.ts';
import type { WatchReversalInput, WatchReversalResult } from '../../temporal/reconciliation/watch-reversal.ts';

const { beginReversalWatch, planReversalRead, settleReversal } = proxyLocalActivities<Activities>(SQL_OPTIONS);

/**
 * Reads on, once a day for thirty days, what has succeeded and may still be reversed by its provider: a refund that fails after
 * it succeeded. The settlement puts the first read on record and the sweep starts this when it is due, so that nothing else
 * has to remember it; begun again, it goes on where the record stands.
 */
export async function watchReversal(input: WatchReversalInput): Promise<WatchReversalResult> {
  const { readBackEffect } = proxyActivities<Activities>({
    ...READ_OPTIONS,
    ...onQueue('provider-reads', input),
    summary: input.actionName,
  });
  const begun = await beginReversalWatch(input);
  let { state } = begun;
  const days = Math.round(begun.settledForMs / REVERSAL_READ_INTERVAL_MS);
  // At least the read that it was started for.
  let reads = Math.min(Math.max(0, days - 1), REVERSAL_READS_MAX - 1);
  while (state.status === 'succeeded') {
    try {
      await readBackEffect(input);
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
