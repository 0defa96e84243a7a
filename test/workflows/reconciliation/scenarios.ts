import type { Activities } from '../../../activities/index.ts';
import type { BegunReconciliation } from '../../../activities/reconciliation/plan-reconciliation.ts';
import type { ReadBack } from '../../../activities/reconciliation/read-back-effect.ts';
import type { Replayed } from '../../../activities/reconciliation/send-replay.ts';
import type { NoPlace } from '../../../domain/in-flight.ts';
import type { EffectRef, InvocationState } from '../../../domain/refs.ts';
import { caller, EFFECT, failing, inTurn, type Scenario } from '../../replay/scenario.ts';

/** Every end of a reconciliation, of a replay, and of the watch over an effect that may be reversed. */

const effect: EffectRef = EFFECT;
const { effectId } = EFFECT;
const DAY_MS = 86_400_000;

const held: InvocationState = { status: 'unknown', grade: 'unknown', stage: 'reconciling', effectId };
const pending: InvocationState = { ...held, status: 'dispatching', grade: 'pending' };
const confirmed: InvocationState = { ...held, status: 'succeeded', grade: 'confirmed', stage: 'settled' };
const acknowledged: InvocationState = { ...confirmed, grade: 'acknowledged' };
const reversed: InvocationState = { ...confirmed, status: 'failed', grade: 'failed' };

const begun = (state: InvocationState, progress: Partial<BegunReconciliation> = {}) => ({
  beginReconciliation: () =>
    Promise.resolve({ exhausted: false, unknownForMs: 0, dispatchedForMs: 0, settledForMs: 0, state, ...progress }),
});
const reads = (impliedOutcome: 'unknown' | 'pending' | 'succeeded') => () => Promise.resolve({ impliedOutcome });
const NO_PLACE: NoPlace = { seen: 'no_place', lookAgainMs: 10_000 };
/** Runs it at the first call only. */
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
  name: `reconcileEffect/${what}.v1`,
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

export const scenarios: readonly Scenario[] = [
  reconciling('settled-by-a-late-answer', begun(confirmed)),
  reconciling('settled-by-a-read', {
    ...begun(held),
    settleInvocation: inTurn(held, held, confirmed),
    readBackEffect: reads('succeeded'),
  }),
  reconciling('queued-then-read', {
    ...begun(held),
    settleInvocation: inTurn(held, confirmed),
    readBackEffect: inTurn<ReadBack | NoPlace>(NO_PLACE, NO_PLACE, { impliedOutcome: 'succeeded' }),
  }),
  reconciling('resolved-while-queued', {
    ...begun(held),
    settleInvocation: () => Promise.resolve(acknowledged),
    readBackEffect: async () => {
      await caller().signal('look');
      return NO_PLACE;
    },
    leaveQueue: async () => {},
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
  replaying('queued-then-settled', {
    sendReplay: inTurn<Replayed>({ seen: 'no_place', lookAgainMs: 10_000 }, { sent: true }),
    settleReplay: () => Promise.resolve(acknowledged),
  }),
  replaying('queued-for-too-long', {
    sendReplay: () => Promise.resolve({ seen: 'no_place', lookAgainMs: 10_000 }),
    settleReplay: () => Promise.resolve(held),
  }),
  replaying('lost', {
    sendReplay: failing,
    isUnclaimed: () => Promise.resolve(false),
    settleReplay: () => Promise.resolve(held),
  }),
];
