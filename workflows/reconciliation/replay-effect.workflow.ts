import {
  CancellationScope,
  getExternalWorkflowHandle,
  log,
  proxyActivities,
  setCurrentDetails,
  setWorkflowOptions,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { standingOf } from '../../domain/workflow-details.ts';
import { dispatchOptions, REPLAY_LAST_START_MS, REPLAY_UNTIL_START_MS, sqlActivities } from '../activity-options.ts';
import { LaneQueue } from '../lane-queue.ts';
import { untilClaimed } from '../until-claimed.ts';
import { wakeDependents } from '../wake-dependents.ts';
import { LOOK_SIGNAL } from '../../temporal/look-signal.ts';
import { searchAttributes } from '../../temporal/search-attributes.ts';
import { reconciliationWorkflowId } from '../../temporal/reconciliation/reconcile-effect.ts';
import { type ReplayEffectInput, type ReplayEffectResult } from '../../temporal/reconciliation/replay-effect.ts';
import { pinned } from '../pinned.ts';

const { settleReplay } = sqlActivities({ settleReplay: 'settles the replay from the record' });

setWorkflowOptions(pinned, replayEffect);

/**
 * One replay that a person asked for: sent at most once, then settled from the record whatever the call returned. It then
 * signals the effect's reconciliation, which ends where the outcome is known now, and waits again where the provider still
 * processes it. A cancellation changes nothing, because a request that may have been sent must be settled.
 */
export async function replayEffect(input: ReplayEffectInput): Promise<ReplayEffectResult> {
  const places = new LaneQueue();
  return CancellationScope.nonCancellable(async () => {
    const { timeoutMs, ...ref } = input;
    const untilMs = Date.now() + REPLAY_UNTIL_START_MS;
    const send = () => {
      const untilStartMs = Math.max(REPLAY_LAST_START_MS, untilMs - Date.now());
      const options = dispatchOptions({ timeoutMs, untilStartMs }, `sends it once more: ${input.actionName}`, input);
      return proxyActivities<Activities>(options).sendReplay({ ...ref, timeoutMs });
    };
    await untilClaimed(places, ref, { what: 'dispatches', send, untilMs });
    const state = await settleReplay(ref);
    if (state.stage === 'settled' || state.grade === 'pending') await tellReconciliation(input.effectId);
    setCurrentDetails(standingOf(state));
    upsertSearchAttributes(searchAttributes({ stage: state.stage ?? state.status, grade: state.grade }));
    await wakeDependents(state);
    return state;
  });
}

async function tellReconciliation(effectId: string): Promise<void> {
  try {
    await getExternalWorkflowHandle(reconciliationWorkflowId(effectId)).signal(LOOK_SIGNAL);
  } catch (error) {
    // The sweep resumes what is not settled yet.
    log.info('no reconciliation of the effect is running', { reason: String(error) });
  }
}
