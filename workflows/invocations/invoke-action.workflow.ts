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
import type { Evaluation } from '../../activities/invocations/evaluate-invocation.ts';
import type { EffectRef, EffectToRead, InvocationState } from '../../domain/refs.ts';
import type { RefusalCode } from '../../domain/refusals.ts';
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
import { untilDecided } from './until-decided.ts';
import { untilReserved } from './until-reserved.ts';
import { environmentName } from '../environment-name.ts';
import { PermitQueue } from '../permit-queue.ts';
import { wakeDependents } from '../wake-dependents.ts';

const { evaluateAndReserve, settleInvocation } = sqlActivities({
  evaluateAndReserve: 'evaluates; reserves and marks the dispatch where nothing has to be waited for',
  settleInvocation: 'settles from the record',
});

/**
 * An approved request is sent within this time, or not at all: `failed`, with its reservations released. It covers both the
 * workspace's queue and the workers' queue, so a neighbour who holds the slots costs time and no dispatch.
 */
const UNTIL_SENT_MS_MAX = 3_600_000;
/** Leaves the last attempt, after the longest wait in the queue, the time to start. */
const LAST_START_MS = 60_000;
/** Waits before each read that may confirm an accepted effect while its caller waits: a provider's own reads may lag. */
const CONFIRM_DELAYS_MS = [0, 500, 1_500];
/** How long such reads wait for a permit. */
const CONFIRM_PERMIT_MS_MAX = 10_000;

/**
 * The life of one invocation: evaluate and reserve; wait first where an approval or other effects are required, and reserve
 * then; dispatch once, read back, settle; hand an unknown outcome to reconciliation. Null: the admission had been withdrawn.
 * A cancellation only ends a wait, because a request that may have been sent must be settled.
 */
export async function invokeAction(ref: InvokeActionInput): Promise<InvokeActionResult> {
  const root = CancellationScope.current();
  const permits = new PermitQueue();
  return CancellationScope.nonCancellable(async () => {
    const evaluation = await evaluated(permits, ref);
    if (evaluation.decision === 'withdrawn') return withdrawn();
    if (evaluation.decision === 'refused') return refused(evaluation.effectId, evaluation.refusal);
    if (evaluation.decision === 'ended') return finished(evaluation.state);
    const { effectId, actionName, readsBack } = evaluation;
    if (evaluation.decision === 'wait') {
      const isAgreed = await untilDecided(root, { ...ref, ...evaluation });
      if (isAgreed && evaluation.observes) await observe(permits, ref, actionName);
    }
    if (evaluation.decision === 'wait' || evaluation.decision === 'depends') {
      const reservation = await untilReserved(root, ref, () => observe(permits, ref, actionName));
      if (reservation.decision === 'refused') return refused(effectId, reservation.refusal);
      if (reservation.decision === 'ended') return finished(reservation.state);
      upsertSearchAttributes(searchAttributes({ stage: 'dispatching' }));
    }

    const { timeoutMs, heartbeatTimeoutMs } = evaluation;
    const input = { ...ref, settles: !readsBack, timeoutMs };
    const dispatched = await dispatchInTurn(permits, input, { timeoutMs, heartbeatTimeoutMs }, actionName);
    const effect = effectId === null ? null : { ...ref, effectId, actionName };
    if (effect && readsBack && dispatched?.seen === 'recorded' && dispatched.outcome === 'succeeded')
      await confirm(permits, effect);
    const state = dispatched?.seen === 'settled' ? dispatched.state : await settleInvocation(ref);
    if (effect && state.stage === 'reconciling') await startReconciliation({ ...effect, grade: state.grade });
    await wakeDependents(state);
    return finished(state);
  });
}

/**
 * Evaluates. Where the adapter can read the provider's record, that is read first and kept, and the evaluation is repeated.
 */
async function evaluated(
  permits: PermitQueue,
  ref: InvokeActionInput,
): Promise<Exclude<Evaluation, { decision: 'observe' }>> {
  for (;;) {
    const evaluation = await evaluateAndReserve(ref);
    if (evaluation.decision !== 'observe') return evaluation;
    await observe(permits, ref);
  }
}

/** A failed read leaves an observation too, which refuses. */
async function observe(permits: PermitQueue, ref: InvokeActionInput, actionName?: string): Promise<void> {
  const { observeTarget } = proxyActivities<Activities>({
    ...OBSERVE_OPTIONS,
    ...onQueue('provider-reads', ref),
    summary: ['reads the provider before it is decided', actionName].filter((part) => part !== undefined).join(': '),
  });
  await permits.read(ref, (permit) => observeTarget({ ...ref, ...permit }));
}

/**
 * Dispatches when the workspace has a permit. Null in two cases: the dispatch did not report back, as when its worker was lost, and its
 * record decides; or the wait for a permit is over, nothing has claimed the dispatch, and nothing was sent. The settlement removes the
 * dispatch from the queue.
 */
async function dispatchInTurn(
  permits: PermitQueue,
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
  return untilClaimed(permits, input, { what: 'dispatches', send, untilMs });
}

/**
 * Reads an accepted effect back until the provider's record settles it. Without a result, or without a permit in the time that a
 * caller waits, the effect stays acknowledged.
 */
async function confirm(permits: PermitQueue, effect: EffectRef): Promise<void> {
  const { readBackEffect } = proxyActivities<Activities>({
    ...CONFIRM_OPTIONS,
    ...onQueue('provider-reads', effect),
    summary: `reads the effect back: ${effect.actionName}`,
  });
  const untilMs = Date.now() + CONFIRM_PERMIT_MS_MAX;
  for (const delayMs of CONFIRM_DELAYS_MS) {
    if (delayMs > 0) await sleep(delayMs, { summary: "the provider's own record may lag" });
    try {
      const read = await permits.read(effect, (permit) => readBackEffect({ ...effect, ...permit }), { untilMs });
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

function refused(effectId: string | null, refusal: RefusalCode): InvocationState {
  const stage = effectId === null ? null : 'rejected';
  return finished({ status: 'refused', grade: 'refused', stage, effectId, refusal });
}

/** The workflow completes however the invocation ended, so the Temporal UI shows the end in its details and attributes. */
function finished(state: InvocationState): InvocationState {
  const { effectId, grade } = state;
  setCurrentDetails(standingOf(state));
  upsertSearchAttributes(searchAttributes({ effectId, stage: state.stage ?? state.status, grade }));
  return state;
}
