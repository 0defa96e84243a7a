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
import { nextReadDelayMs } from '../../domain/reconciliation-schedule.ts';
import { READ_OPTIONS, SQL_OPTIONS } from '../activity-options.ts';
import { SEARCH_ATTRIBUTES } from '../search-attributes.ts';
import type { ReconcileEffectInput, ReconcileEffectResult } from './messages.ts';

const { settleInvocation, planReconciliation, exhaustReconciliation } = proxyLocalActivities<Activities>(SQL_OPTIONS);

/**
 * Finds out what became of an effect whose outcome is unknown (or which the provider is still at), by reading and never by
 * sending again. Durable timers; until it is settled or the schedule is at its end.
 */
export async function reconcileEffect(input: ReconcileEffectInput): Promise<ReconcileEffectResult> {
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
  upsertSearchAttributes([
    { key: SEARCH_ATTRIBUTES.stage, value: state.stage ?? state.status },
    { key: SEARCH_ATTRIBUTES.grade, value: state.grade },
  ]);
  return state;
}
