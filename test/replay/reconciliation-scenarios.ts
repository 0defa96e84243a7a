import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { Activities } from '../../activities/index.ts';
import type { Reservation } from '../../activities/invocations/reserve-and-mark-dispatch.ts';
import type { BegunReconciliation } from '../../activities/reconciliation/plan-reconciliation.ts';
import type { EffectRef, InvocationState } from '../../domain/refs.ts';
import type { Scenario } from './scenarios.ts';

/** Every way in which a reconciliation, a replay, a watch over what may be reversed, and a wait for other effects end. */

const effect: EffectRef = {
  invocationId: 'inv_0000000000000000000001',
  workspaceId: '00000000-0000-7000-8000-000000000001',
  environmentId: '00000000-0000-7000-8000-000000000002',
  effectId: 'eff_0000000000000000000001',
  actionName: 'refund.create',
};
const { effectId, actionName: _actionName, ...ref } = effect;
const DAY_MS = 86_400_000;

const held: InvocationState = { status: 'unknown', grade: 'unknown', stage: 'reconciling', effectId };
const pending: InvocationState = { ...held, status: 'dispatching', grade: 'pending' };
const confirmed: InvocationState = { ...held, status: 'succeeded', grade: 'confirmed', stage: 'settled' };
const acknowledged: InvocationState = { ...confirmed, grade: 'acknowledged' };
const reversed: InvocationState = { ...confirmed, status: 'failed', grade: 'failed' };

/** Answers the given values one after the other, then the last one for ever. */
function inTurn<T>(...values: [T, ...T[]]): () => Promise<T> {
  let turn = 0;
  return () => Promise.resolve(values[Math.min(turn++, values.length - 1)] ?? values[0]);
}
const begun = (state: InvocationState, progress: Partial<BegunReconciliation> = {}) => ({
  beginReconciliation: () =>
    Promise.resolve({ exhausted: false, unknownForMs: 0, dispatchedForMs: 0, settledForMs: 0, state, ...progress }),
});
const reads = (impliedOutcome: 'unknown' | 'pending' | 'succeeded') => () => Promise.resolve({ impliedOutcome });
const failing = (): Promise<never> => Promise.reject(ApplicationFailure.nonRetryable('away'));

/** The workflow that an activity double was called by. */
function caller() {
  const { client, info } = Context.current();
  return client.workflow.getHandle(info.workflowExecution?.workflowId ?? '');
}
/** Does it at the first call alone. */
function once(first: () => Promise<unknown>): () => Promise<void> {
  let isDone = false;
  return async () => {
    if (isDone) return;
    isDone = true;
    await first();
  };
}
const askToRead = (): Promise<unknown> => caller().startUpdate('reconcileNow', { waitForStage: 'ACCEPTED' });

const reconciling = (
  what: string,
  activities: Partial<Activities>,
  server: Scenario['server'] = 'time-skipping',
): Scenario => ({
  name: `reconcileEffect/${what}.v2`,
  workflow: 'reconcileEffect',
  workflowId: `reconcile/${effectId}`,
  args: [effect],
  activities: { planReconciliation: async () => {}, exhaustReconciliation: async () => {}, ...activities },
  server,
});

const watching = (what: string, activities: Partial<Activities>): Scenario => ({
  name: `watchReversal/${what}.v1`,
  workflow: 'watchReversal',
  workflowId: `reversal/${effectId}`,
  args: [effect],
  activities: {
    beginReversalWatch: () => Promise.resolve({ state: confirmed, settledForMs: DAY_MS }),
    planReversalRead: async () => {},
    readBackEffect: reads('succeeded'),
    ...activities,
  },
  server: 'time-skipping',
});

const replaying = (what: string, activities: Partial<Activities>): Scenario => ({
  name: `replayEffect/${what}.v1`,
  workflow: 'replayEffect',
  workflowId: 'replay/att_0000000000000000000001',
  args: [{ ...effect, attemptId: 'att_0000000000000000000001', timeoutMs: 30_000 }],
  activities,
  server: 'time-skipping',
});

const depends = {
  decision: 'depends',
  effectId,
  actionName: 'refund.create',
  timeoutMs: 30_000,
  readsBack: false,
} as const;
const depending = (what: string, activities: Partial<Activities>): Scenario => ({
  name: `invokeAction/${what}.v2`,
  workflow: 'invokeAction',
  workflowId: `invocation/${ref.invocationId}`,
  args: [ref],
  activities: {
    evaluateAndReserve: () => Promise.resolve(depends),
    dispatchEffect: () => Promise.resolve({ seen: 'settled', state: acknowledged }),
    ...activities,
  },
  server: 'time-skipping',
});
const waits = { decision: 'depends' } as const;

export const RECONCILIATION_SCENARIOS: readonly Scenario[] = [
  reconciling('settled-by-a-late-answer', begun(confirmed)),
  reconciling('settled-by-a-read', {
    ...begun(held),
    settleInvocation: inTurn(held, held, confirmed),
    readBackEffect: reads('succeeded'),
  }),
  reconciling('reads-that-fail', {
    ...begun(held),
    settleInvocation: inTurn(held, confirmed),
    readBackEffect: failing,
  }),
  reconciling('exhausted', {
    ...begun(held),
    settleInvocation: () => Promise.resolve(held),
    readBackEffect: reads('unknown'),
  }),
  reconciling('pending-for-thirty-days', {
    ...begun(held),
    settleInvocation: inTurn(held, pending),
    readBackEffect: reads('pending'),
  }),
  reconciling('taken-up-again', {
    ...begun(held, { unknownForMs: 5 * DAY_MS, dispatchedForMs: 5 * DAY_MS }),
    settleInvocation: () => Promise.resolve(held),
    readBackEffect: reads('unknown'),
  }),
  reconciling('resolved-by-a-person', {
    ...begun(held),
    planReconciliation: once(() => caller().signal('look')),
    settleInvocation: () => Promise.resolve(acknowledged),
  }),
  reconciling(
    'reconciled-now',
    {
      ...begun(held),
      planReconciliation: once(askToRead),
      readBackEffect: reads('succeeded'),
      settleInvocation: () => Promise.resolve(confirmed),
    },
    'dev',
  ),
  reconciling(
    'reconciled-now-after-exhaustion',
    {
      beginReconciliation: async () => {
        await askToRead();
        const days = 3 * DAY_MS;
        return { state: held, exhausted: true, unknownForMs: days, dispatchedForMs: days, settledForMs: 0 };
      },
      readBackEffect: reads('unknown'),
      settleInvocation: () => Promise.resolve(held),
    },
    'dev',
  ),
  reconciling('settled-with-dependents', begun({ ...confirmed, dependents: ['inv_0000000000000000000002'] })),
  watching('reversed', { settleReversal: inTurn(confirmed, confirmed, reversed) }),
  watching('stands-for-thirty-days', { settleReversal: () => Promise.resolve(confirmed) }),
  watching('reads-that-fail', { readBackEffect: failing, settleReversal: inTurn(confirmed, reversed) }),
  replaying('settled', {
    sendReplay: () => Promise.resolve({ sent: true }),
    settleReplay: () => Promise.resolve(acknowledged),
  }),
  replaying('at-its-provider', {
    sendReplay: () => Promise.resolve({ sent: true }),
    settleReplay: () => Promise.resolve(pending),
  }),
  replaying('lost', { sendReplay: failing, settleReplay: () => Promise.resolve(held) }),
  depending('depends-and-is-told', {
    reserveAndMarkDispatch: (() => {
      let looks = 0;
      return async () => {
        if (looks++ > 0) return { decision: 'dispatch' };
        await caller().signal('dependencySettled');
        return waits;
      };
    })(),
  }),
  depending('depends-and-looks', {
    reserveAndMarkDispatch: inTurn<Reservation>(waits, waits, waits, { decision: 'dispatch' }),
  }),
  depending('depends-and-reads-again', {
    reserveAndMarkDispatch: inTurn<Reservation>(waits, { decision: 'observe' }, { decision: 'dispatch' }),
    observeTarget: () => Promise.resolve({ outcome: 'observed' }),
  }),
  depending('depends-for-a-day', {
    reserveAndMarkDispatch: (_ref, givenUp) => Promise.resolve(givenUp ? { decision: 'refused' } : waits),
  }),
  depending('depends-and-is-cancelled', {
    reserveAndMarkDispatch: async (_ref, givenUp) => {
      if (givenUp) return { decision: 'refused' };
      await caller().cancel();
      return waits;
    },
  }),
  {
    name: 'sweepMaintenance/swept-with-overdue-reads-and-approvals.v3',
    workflow: 'sweepMaintenance',
    workflowId: 'maintenance/sweep',
    args: [],
    activities: {
      startLostInvocations: async () => 2,
      deleteExpiredIdempotencyClaims: async () => 3,
      startLostMessages: async () => 4,
      deleteExpiredDeduplications: async () => 5,
      startOverdueReads: async () => 6,
      wakeUnwatchedApprovals: async () => 7,
    },
    server: 'time-skipping',
  },
];
