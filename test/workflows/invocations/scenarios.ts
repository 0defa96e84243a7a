import { Context } from '@temporalio/activity';
import type { Activities } from '../../../activities/index.ts';
import type { Advanced } from '../../../activities/invocations/advance-invocation.ts';
import type { Judged } from '../../../domain/invocations/judgement.ts';
import type { InvocationState } from '../../../domain/refs.ts';
import type { RefusalCode } from '../../../domain/refusals.ts';
import { caller, EFFECT, failing, INVOCATION as ref, inTurn, type Scenario } from '../../replay/scenario.ts';

/** Every way in which an invocation without an approval ends (those with one are in ../approvals/scenarios.ts). */

const { effectId } = EFFECT;
const accepted: InvocationState = { status: 'succeeded', grade: 'acknowledged', stage: 'settled', effectId };
const confirmed: InvocationState = { status: 'succeeded', grade: 'confirmed', stage: 'settled', effectId };
const held: InvocationState = { status: 'unknown', grade: 'unknown', stage: 'reconciling', effectId };

const proceed = {
  next: 'send',
  effectId,
  actionName: 'refund.create',
  timeoutMs: 30_000,
  heartbeatTimeoutMs: 10_000,
  readsBack: false,
} as const;
const life: Partial<Activities> = {
  advanceInvocation: async () => proceed,
  dispatchEffect: async ({ settles }) =>
    settles ? { seen: 'settled', state: accepted } : { seen: 'recorded', outcome: 'succeeded' },
  settleInvocation: async () => accepted,
  // The reconciliation that the invocation hands over to: its first check finds that a late answer has settled the effect.
  beginReconciliation: async () => ({
    exhausted: false,
    unknownForMs: 0,
    dispatchedForMs: 0,
    settledForMs: 0,
    state: confirmed,
  }),
};

const invoking = (
  what: string,
  activities: Partial<Activities>,
  server: Scenario['server'] = 'time-skipping',
): Scenario => ({
  name: `invokeAction/${what}.v1`,
  workflow: 'invokeAction',
  workflowId: `invocation/${ref.invocationId}`,
  args: [ref],
  activities: { ...life, ...activities },
  server,
});

const silent = (): Promise<never> => Context.current().cancelled;

const depending = (what: string, activities: Partial<Activities>): Scenario => ({
  name: `invokeAction/${what}.v1`,
  workflow: 'invokeAction',
  workflowId: `invocation/${ref.invocationId}`,
  args: [ref],
  activities: {
    dispatchEffect: () => Promise.resolve({ seen: 'settled', state: accepted }),
    ...activities,
  },
  server: 'time-skipping',
});
const recorded = { seen: 'recorded', outcome: 'succeeded' } as const;
const sent = (state: InvocationState): Advanced => ({
  ...proceed,
  next: 'sent',
  dispatched: { seen: 'settled', state },
});
const waits: Judged = { ...proceed, next: 'wait_for_effects', effectIds: ['eff_0000000000000000000002'] };
const refused = (refusal: RefusalCode): Judged => ({
  next: 'ended',
  state: { status: 'refused', grade: 'refused', stage: 'rejected', effectId, refusal },
});
const unsettled = refused('dependency_unsettled');

export const scenarios: readonly Scenario[] = [
  invoking('queued-then-dispatched', {
    dispatchEffect: inTurn({ seen: 'no_place', lookAgainMs: 5_000 }, { seen: 'settled', state: accepted }),
  }),
  invoking('queued-for-an-hour', {
    dispatchEffect: () => Promise.resolve({ seen: 'no_place', lookAgainMs: 1_900_000 }),
    settleInvocation: () => Promise.resolve({ ...accepted, status: 'failed', grade: 'failed' }),
  }),
  invoking('sent-at-once', { advanceInvocation: async () => sent(accepted) }),
  invoking('sent-at-once-unknown', { advanceInvocation: async () => sent(held) }),
  invoking('sent-at-once-then-read-back', {
    advanceInvocation: async () => ({ ...proceed, next: 'sent', readsBack: true, dispatched: recorded }),
    readBackEffect: async () => ({ impliedOutcome: 'succeeded' }),
    settleInvocation: async () => confirmed,
  }),
  invoking('awaits-the-end-of-a-lost-execution', {
    advanceInvocation: inTurn<Advanced>(
      { ...proceed, next: 'await_end', leftMs: 25_000 },
      { ...proceed, next: 'await_end', leftMs: 1_500 },
      { ...proceed, next: 'sent', dispatched: { seen: 'claimed_elsewhere' } },
    ),
    settleInvocation: async () => held,
  }),
  invoking('governed-acknowledged', {}),
  invoking('plain-acknowledged', {
    advanceInvocation: async () => ({ ...proceed, effectId: null }),
    dispatchEffect: async () => ({ seen: 'settled', state: { ...accepted, stage: null, effectId: null } }),
  }),
  invoking('confirmed-at-the-second-read', {
    advanceInvocation: async () => ({ ...proceed, readsBack: true }),
    readBackEffect: inTurn({ impliedOutcome: 'unknown' }, { impliedOutcome: 'succeeded' }),
    settleInvocation: async () => confirmed,
  }),
  invoking('acknowledged-after-reads-that-fail', {
    advanceInvocation: async () => ({ ...proceed, readsBack: true }),
    readBackEffect: failing,
  }),
  invoking('acknowledged-without-a-place-to-read', {
    advanceInvocation: async () => ({ ...proceed, readsBack: true }),
    readBackEffect: () => Promise.resolve({ seen: 'no_place', lookAgainMs: 4_000 }),
    leaveQueue: async () => {},
  }),
  invoking('withdrawn', { advanceInvocation: async () => ({ next: 'withdrawn' }) }),
  invoking('refused', {
    advanceInvocation: async () => refused('policy_denied'),
  }),
  invoking('dispatch-failed', {
    dispatchEffect: async () => ({ seen: 'settled', state: { ...accepted, status: 'failed', grade: 'failed' } }),
  }),
  invoking('recorded-and-settled-by-the-workflow', {
    dispatchEffect: async () => ({ seen: 'recorded', outcome: 'succeeded' }),
  }),
  invoking('unknown-handed-to-reconciliation', {
    dispatchEffect: async () => ({ seen: 'settled', state: held }),
  }),
  invoking(
    'worker-lost',
    {
      dispatchEffect: silent,
      isUnclaimed: () => Promise.resolve(false),
      settleInvocation: () => Promise.resolve(held),
    },
    'dev',
  ),
  invoking('lost-before-the-claim-then-dispatched', {
    dispatchEffect: (() => {
      let given = 0;
      return () => (given++ === 0 ? failing() : Promise.resolve({ seen: 'settled', state: accepted }));
    })(),
    isUnclaimed: () => Promise.resolve(true),
  }),
  depending('depends-and-is-told', {
    advanceInvocation: (() => {
      let looks = 0;
      return async () => {
        if (looks++ > 0) return proceed;
        await caller().signal('dependencySettled');
        return waits;
      };
    })(),
  }),
  depending('depends-and-looks', {
    advanceInvocation: inTurn<Judged>(waits, waits, waits, proceed),
  }),
  depending('depends-and-reads-again', {
    advanceInvocation: inTurn<Judged>(waits, { next: 'read_provider', actionName: 'refund.create' }, proceed),
    observeTarget: () => Promise.resolve({ outcome: 'observed' }),
  }),
  depending('depends-for-a-day', {
    advanceInvocation: (_ref, givenUp) => Promise.resolve(givenUp ? unsettled : waits),
  }),
  depending('depends-and-is-cancelled', {
    advanceInvocation: async (_ref, givenUp) => {
      if (givenUp) return unsettled;
      await caller().cancel();
      return waits;
    },
  }),
];
