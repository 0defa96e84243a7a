import { log, proxyActivities, proxyLocalActivities, setCurrentDetails, sleep } from '@temporalio/workflow';
import { ActivityFailure } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { nextReadDelayMs } from '../../domain/reconciliation/schedule.ts';
import { READ_OPTIONS, SQL_OPTIONS } from '../activity-options.ts';
import type { ReconcileEffectInput, ReconcileEffectResult } from '../../temporal/reconciliation/reconcile-effect.ts';

const { settleInvocation, planReconciliation, exhaustReconciliation } = proxyLocalActivities<Activities>(SQL_OPTIONS);

/**
 * The reconciliation of workflows that began before a read could be asked for (patch `reconcile-now`): it walks the schedule
 * and hears nothing. Keep it until the last history without that patch is gone.
 */
export async function walkSchedule(input: ReconcileEffectInput): Promise<ReconcileEffectResult> {
  const { readBackEffect } = proxyActivities<Activities>({ ...READ_OPTIONS, summary: input.actionName });
  const startedAtMs = Date.now();
  // A first look without a read: a worker that was cut off, not dead, may have recorded the answer late.
  let state = await settleInvocation(input);
  for (let reads = 0; state.stage === 'reconciling'; reads++) {
    const pending = state.grade === 'pending';
    const delayMs = nextReadDelayMs({ pending, reads, elapsedMs: Date.now() - startedAtMs }, Math.random());
    if (delayMs === null) {
      await exhaustReconciliation(input, reads);
      setCurrentDetails(`exhausted after ${reads} reads: a person must resolve it`);
      break;
    }
    const nextAt = new Date(Date.now() + delayMs).toISOString();
    await planReconciliation(input, reads, nextAt);
    setCurrentDetails(`${reads} reads; the next one at ${nextAt}`);
    await sleep(delayMs);
    try {
      await readBackEffect(input);
    } catch (error) {
      if (!(error instanceof ActivityFailure)) throw error;
      log.warn('a read did not report back: it counts as one that said nothing', { reason: error.cause?.message });
    }
    state = await settleInvocation(input);
  }
  return state;
}
