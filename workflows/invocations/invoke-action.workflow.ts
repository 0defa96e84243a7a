import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  ActivityFailure,
  CancellationScope,
  log,
  ParentClosePolicy,
  proxyActivities,
  setCurrentDetails,
  sleep,
  startChild,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { DispatchInput, Dispatched } from '../../activities/invocations/dispatch-effect.ts';
import type { EffectRef, EffectToRead, InvocationState } from '../../domain/refs.ts';
import { standingOf } from '../../domain/workflow-details.ts';
import {
  CONFIRM_OPTIONS,
  dispatchOptions,
  type DispatchTimes,
  OBSERVE_OPTIONS,
  onQueue,
  sqlActivities,
} from '../activity-options.ts';
import { reconcileEffectStart } from '../../temporal/reconciliation/reconcile-effect.ts';
import { asChild } from '../../temporal/start.ts';
import { searchAttributes } from '../../temporal/search-attributes.ts';
import type { InvokeActionInput, InvokeActionResult } from '../../temporal/invocations/invoke-action.ts';
import { untilClaimed } from '../until-claimed.ts';
import { untilAdvanced } from './until-advanced.ts';
import { environmentName } from '../environment-name.ts';
import { LaneQueue } from '../lane-queue.ts';
import { wakeDependents } from '../wake-dependents.ts';

const { settleInvocation } = sqlActivities({ settleInvocation: 'settles from the record' });

/**
 * An approved request is sent within this time, or not at all: `failed`, with its reservations released. It covers both the
 * workspace's queue and the workers' queue, so a neighbour who holds the slots costs time and no dispatch.
 */
const UNTIL_SENT_MS_MAX = 3_600_000;
/** Leaves the last attempt, after the longest wait in the queue, the time to start. */
const LAST_START_MS = 60_000;
/** Waits before each read that may confirm an accepted effect while its caller waits: a provider's own reads may lag. */
const CONFIRM_DELAYS_MS = [0, 500, 1_500];
/** How long such reads wait for a place. */
const CONFIRM_PLACE_MS_MAX = 10_000;

/**
 * The life of one invocation: judge it, which marks its dispatch; wait where an approval or other effects are required, and judge
 * it again; dispatch once, read back, settle; hand an unknown outcome to reconciliation. Returns null when the admission was withdrawn.
 * A cancellation only ends a wait, because a request that may have been sent must be settled.
 */
export async function invokeAction(ref: InvokeActionInput): Promise<InvokeActionResult> {
  const root = CancellationScope.current();
  const places = new LaneQueue();
  return CancellationScope.nonCancellable(async () => {
    const judged = await untilAdvanced(root, ref, (actionName) => observe(places, ref, actionName));
    if (judged.next === 'withdrawn') return withdrawn();
    if (judged.next === 'ended') return finished(judged.state);
    const { effectId, actionName, readsBack, timeoutMs, heartbeatTimeoutMs } = judged;
    const input = { ...ref, settles: !readsBack, timeoutMs };
    const dispatched =
      judged.next === 'sent'
        ? judged.dispatched
        : await dispatchInTurn(places, input, { timeoutMs, heartbeatTimeoutMs }, actionName);
    const effect = effectId === null ? null : { ...ref, effectId, actionName };
    if (effect && readsBack && dispatched?.seen === 'recorded' && dispatched.outcome === 'succeeded')
      await confirm(places, effect);
    const state = dispatched?.seen === 'settled' ? dispatched.state : await settleInvocation(ref);
    if (effect && state.stage === 'reconciling') await startReconciliation({ ...effect, grade: state.grade });
    await wakeDependents(state);
    return finished(state);
  });
}

/** A failed read leaves an observation too, which refuses. */
async function observe(places: LaneQueue, ref: InvokeActionInput, actionName: string): Promise<void> {
  const { observeTarget } = proxyActivities<Activities>({
    ...OBSERVE_OPTIONS,
    ...onQueue('provider-reads', ref),
    summary: `reads the provider before it is decided: ${actionName}`,
  });
  await places.read(ref, (place) => observeTarget({ ...ref, ...place }));
}

/**
 * Dispatches when the workspace has a place. Null in two cases: the dispatch did not report back, as when its worker was lost, and its
 * record decides; or the wait for a place is over, nothing has claimed the dispatch, and nothing was sent. The settlement removes the
 * dispatch from the queue.
 */
async function dispatchInTurn(
  places: LaneQueue,
  input: DispatchInput,
  times: Omit<DispatchTimes, 'untilStartMs'>,
  actionName: string,
): Promise<Dispatched | null> {
  const untilMs = Date.now() + UNTIL_SENT_MS_MAX;
  const send = () => {
    const untilStartMs = Math.max(LAST_START_MS, untilMs - Date.now());
    const options = dispatchOptions({ ...times, untilStartMs }, `sends the request: ${actionName}`, input);
    setCurrentDetails('DISPATCHING');
    return proxyActivities<Activities>(options).dispatchEffect(input);
  };
  return untilClaimed(places, input, { what: 'dispatches', send, untilMs });
}

/**
 * Reads an accepted effect back until the provider's record settles it. Without a result, or without a place in the time that a
 * caller waits, the effect stays acknowledged.
 */
async function confirm(places: LaneQueue, effect: EffectRef): Promise<void> {
  const { readBackEffect } = proxyActivities<Activities>({
    ...CONFIRM_OPTIONS,
    ...onQueue('provider-reads', effect),
    summary: `reads the effect back: ${effect.actionName}`,
  });
  const untilMs = Date.now() + CONFIRM_PLACE_MS_MAX;
  for (const delayMs of CONFIRM_DELAYS_MS) {
    if (delayMs > 0) await sleep(delayMs, { summary: "the provider's own record may lag" });
    try {
      const read = await places.read(effect, (place) => readBackEffect({ ...effect, ...place }), { untilMs });
      if (read === null) return;
      if (read.impliedOutcome !== 'unknown') return;
    } catch (error) {
      if (!(error instanceof ActivityFailure)) throw error;
      log.warn('a read-back did not report back', { reason: error.cause?.message });
    }
  }
}

/** Reconciliation outlives this workflow: it may take a month, and a second run of this one finds it under way. */
async function startReconciliation(effect: EffectToRead): Promise<void> {
  try {
    await startReconciliationChild(effect);
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}

async function startReconciliationChild(effect: EffectToRead): Promise<void> {
  const { type, options } = asChild(reconcileEffectStart(effect, workflowInfo().taskQueue, environmentName()));
  await startChild(type, { ...options, parentClosePolicy: ParentClosePolicy.ABANDON });
}

function withdrawn(): null {
  setCurrentDetails('WITHDRAWN: its admission was taken back before it began; nothing was sent');
  upsertSearchAttributes(searchAttributes({ stage: 'withdrawn' }));
  return null;
}

/** The workflow completes however the invocation ended, so the Temporal UI shows the end in its details and attributes. */
function finished(state: InvocationState): InvocationState {
  const { effectId, grade } = state;
  setCurrentDetails(standingOf(state));
  upsertSearchAttributes(searchAttributes({ effectId, stage: state.stage ?? state.status, grade }));
  return state;
}
