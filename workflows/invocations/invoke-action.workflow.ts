import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  ActivityFailure,
  CancellationScope,
  condition,
  defineSignal,
  log,
  ParentClosePolicy,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  sleep,
  startChild,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { DispatchInput, Dispatched } from '../../activities/invocations/dispatch-effect.ts';
import type { Evaluation } from '../../activities/invocations/evaluate-invocation.ts';
import type { EffectRef, InvocationState } from '../../domain/refs.ts';
import {
  CONFIRM_OPTIONS,
  dispatchOptions,
  type DispatchTimes,
  OBSERVE_OPTIONS,
  onQueue,
  SQL_OPTIONS,
} from '../activity-options.ts';
import { reconcileEffectStart } from '../../temporal/reconciliation/reconcile-effect.ts';
import { PLACE_FREE_SIGNAL } from '../../temporal/in-flight/place-free.ts';
import { asChild } from '../../temporal/start.ts';
import { searchAttributes } from '../../temporal/search-attributes.ts';
import type { InvokeActionInput, InvokeActionResult } from '../../temporal/invocations/invoke-action.ts';
import { untilDecided } from './until-decided.ts';
import { untilReserved } from './until-reserved.ts';
import { wakeDependents } from '../wake-dependents.ts';

const { evaluateAndReserve, settleInvocation } = proxyLocalActivities<Activities>(SQL_OPTIONS);

const placeFree = defineSignal(PLACE_FREE_SIGNAL);

/**
 * An approved request is sent within this time, or not at all: `failed`, with its reservations released. It covers both the
 * workspace's queue and the workers' queue, so a neighbour who holds the slots costs time and no dispatch.
 */
const UNTIL_SENT_MS_MAX = 3_600_000;
/** Leaves the last attempt, after the longest wait in the queue, the time to start. */
const LAST_START_MS = 60_000;
/** Waits before each read that may confirm an accepted effect while its caller waits: a provider's own reads may lag. */
const CONFIRM_DELAYS_MS = [0, 500, 1_500];

/**
 * The life of one invocation: evaluate and reserve; wait first where an approval or other effects are required, and reserve
 * then; dispatch once, read back, settle; hand an unknown outcome to reconciliation. Null: the admission had been withdrawn.
 * A cancellation only ends a wait, because a request that may have been sent must be settled.
 */
export async function invokeAction(ref: InvokeActionInput): Promise<InvokeActionResult> {
  const root = CancellationScope.current();
  return CancellationScope.nonCancellable(async () => {
    const evaluation = await evaluated(ref);
    if (evaluation.decision === 'withdrawn') return null;
    if (evaluation.decision === 'refused') return refused(evaluation.effectId);
    if (evaluation.decision === 'ended') return finished(evaluation.state);
    const { effectId, actionName, readsBack } = evaluation;
    if (evaluation.decision === 'wait') {
      const isAgreed = await untilDecided(root, { ...ref, ...evaluation });
      if (isAgreed && evaluation.observes) await observe(ref, actionName);
    }
    if (evaluation.decision === 'wait' || evaluation.decision === 'depends') {
      const reservation = await untilReserved(root, ref, () => observe(ref, actionName));
      if (reservation.decision === 'refused') return refused(effectId);
      if (reservation.decision === 'ended') return finished(reservation.state);
    }

    const { timeoutMs } = evaluation;
    const dispatched = await dispatchInTurn({ ...ref, settles: !readsBack, timeoutMs }, timeoutMs, actionName);
    const effect = effectId === null ? null : { ...ref, effectId, actionName };
    if (effect && readsBack && dispatched?.seen === 'recorded' && dispatched.outcome === 'succeeded')
      await confirm(effect);
    const state = dispatched?.seen === 'settled' ? dispatched.state : await settleInvocation(ref);
    if (effect && state.stage === 'reconciling') await startReconciliation(effect);
    await wakeDependents(state);
    return finished(state);
  });
}

/**
 * Evaluates. Where the adapter can read the provider's record, that is read first and kept, and the evaluation is repeated.
 */
async function evaluated(ref: InvokeActionInput): Promise<Exclude<Evaluation, { decision: 'observe' }>> {
  for (;;) {
    const evaluation = await evaluateAndReserve(ref);
    if (evaluation.decision !== 'observe') return evaluation;
    await observe(ref);
  }
}

/** A failed read leaves an observation too, which refuses. */
async function observe(ref: InvokeActionInput, actionName?: string): Promise<void> {
  const { observeTarget } = proxyActivities<Activities>({
    ...OBSERVE_OPTIONS,
    ...onQueue('provider-reads', ref),
    ...(actionName === undefined ? {} : { summary: actionName }),
  });
  await observeTarget(ref);
}

/**
 * Dispatches when the workspace has an in-flight slot. A waiting invocation holds no worker slot. It is signalled when one
 * is free, and also checks by itself. Null also where the wait is over: nothing has claimed the dispatch then, and nothing
 * was sent.
 */
async function dispatchInTurn(input: DispatchInput, timeoutMs: number, actionName: string): Promise<Dispatched | null> {
  let isFree = false;
  setHandler(placeFree, () => {
    isFree = true;
  });
  const dueByMs = Date.now() + UNTIL_SENT_MS_MAX;
  for (;;) {
    isFree = false;
    const untilStartMs = Math.max(LAST_START_MS, dueByMs - Date.now());
    const dispatched = await dispatchOnce(input, { timeoutMs, untilStartMs }, actionName);
    if (dispatched?.seen !== 'no_place') return dispatched;
    if (Date.now() >= dueByMs) return null;
    setCurrentDetails('in line behind other dispatches of its workspace');
    await condition(() => isFree, dispatched.lookAgainMs);
  }
}

/**
 * What the dispatch saw; null where it did not report back (its record decides then, and a lost worker is an answer too).
 */
async function dispatchOnce(
  input: DispatchInput,
  times: DispatchTimes,
  actionName: string,
): Promise<Dispatched | null> {
  const { dispatchEffect } = proxyActivities<Activities>(dispatchOptions(times, actionName, input));
  try {
    return await dispatchEffect(input);
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    log.warn('the dispatch did not report back', { reason: error.cause?.message });
    return null;
  }
}

/** Reads an accepted effect back until the provider's record settles it. Without a result the effect stays acknowledged. */
async function confirm(effect: EffectRef): Promise<void> {
  const { readBackEffect } = proxyActivities<Activities>({
    ...CONFIRM_OPTIONS,
    ...onQueue('provider-reads', effect),
    summary: effect.actionName,
  });
  for (const delayMs of CONFIRM_DELAYS_MS) {
    if (delayMs > 0) await sleep(delayMs);
    try {
      const read = await readBackEffect(effect);
      if (read.impliedOutcome !== 'unknown') return;
    } catch (error) {
      if (!(error instanceof ActivityFailure)) throw error;
      log.warn('a read-back did not report back', { reason: error.cause?.message });
    }
  }
}

/** Reconciliation outlives this workflow: it may take a month, and a second run of this one finds it under way. */
async function startReconciliation(effect: EffectRef): Promise<void> {
  try {
    await startReconciliationChild(effect);
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}

async function startReconciliationChild(effect: EffectRef): Promise<void> {
  const { type, options } = asChild(reconcileEffectStart(effect, workflowInfo().taskQueue));
  await startChild(type, { ...options, parentClosePolicy: ParentClosePolicy.ABANDON });
}

function refused(effectId: string | null): InvocationState {
  return finished({ status: 'refused', grade: 'refused', stage: effectId === null ? null : 'rejected', effectId });
}

/** Lets an operator find the end in the Temporal UI. */
function finished(state: InvocationState): InvocationState {
  const { effectId, grade } = state;
  upsertSearchAttributes(searchAttributes({ effectId, stage: state.stage ?? state.status, grade }));
  return state;
}
