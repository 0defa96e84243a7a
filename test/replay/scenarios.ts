import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { APPROVAL_SCENARIOS } from './approval-scenarios.ts';
import type { Activities } from '../../activities/index.ts';
import type { DeliveryStep, MessageRef } from '../../domain/messages/messages.ts';
import type { EffectRef, InvocationRef, InvocationState } from '../../domain/refs.ts';
import { PREVIEW_SCENARIOS } from './preview-scenarios.ts';
import { RECONCILIATION_SCENARIOS } from './reconciliation-scenarios.ts';

/**
 * The recorded lives of every workflow. `npm run histories:record` runs them and stores what the server kept; replaying those
 * files on today's code is the regression suite. A change that needs a new history adds a scenario: an old file is never
 * recorded over, for it stands for histories in the field.
 */
export interface Scenario {
  /** `<workflow>/<what happens>.v<N>`: the file under histories/. N rises when the workflow's commands change. */
  name: string;
  workflow: string;
  workflowId: string;
  args: unknown[];
  activities: Partial<Activities>;
  /** Where time has to pass (days), or where a worker has to be silent in real time. */
  server: 'time-skipping' | 'dev';
  /** The workflow whose history is kept, where it is not the one that was started. */
  recorded?: string;
}

const ref: InvocationRef = {
  invocationId: 'inv_0000000000000000000001',
  workspaceId: '00000000-0000-7000-8000-000000000001',
  environmentId: '00000000-0000-7000-8000-000000000002',
};
const effect: EffectRef = { ...ref, effectId: 'eff_0000000000000000000001', actionName: 'refund.create' };
const effectId = effect.effectId;

const accepted: InvocationState = { status: 'succeeded', grade: 'acknowledged', stage: 'settled', effectId };
const confirmed: InvocationState = { status: 'succeeded', grade: 'confirmed', stage: 'settled', effectId };
const held: InvocationState = { status: 'unknown', grade: 'unknown', stage: 'reconciling', effectId };
const pending: InvocationState = { status: 'dispatching', grade: 'pending', stage: 'reconciling', effectId };

const proceed = {
  decision: 'proceed',
  effectId,
  actionName: 'refund.create',
  timeoutMs: 30_000,
  readsBack: false,
} as const;
const life: Partial<Activities> = {
  evaluateAndReserve: async () => proceed,
  dispatchEffect: async ({ settles }) =>
    settles ? { seen: 'settled', state: accepted } : { seen: 'recorded', outcome: 'succeeded' },
  settleInvocation: async () => accepted,
  planReconciliation: async () => {},
  exhaustReconciliation: async () => {},
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

const reconciling = (what: string, activities: Partial<Activities>): Scenario => ({
  name: `reconcileEffect/${what}.v1`,
  workflow: 'reconcileEffect',
  workflowId: `reconcile/${effectId}`,
  args: [effect],
  activities: { ...life, ...activities },
  server: 'time-skipping',
});

/** Answers the given states one after the other, then the last one for ever. */
function inTurn<T>(...states: [T, ...T[]]): () => Promise<T> {
  let turn = 0;
  return () => Promise.resolve(states[Math.min(turn++, states.length - 1)] ?? states[0]);
}

const silent = (): Promise<never> => Context.current().cancelled;
const failing = (): Promise<never> => Promise.reject(ApplicationFailure.nonRetryable('away'));

const messageRef: MessageRef = {
  messageId: 'msg_0000000000000000000001',
  workspaceId: ref.workspaceId,
  environmentId: ref.environmentId,
};
const wait = (delayMs: number): DeliveryStep => ({ next: 'wait', delayMs });
const end = (status: 'delivered' | 'failed' | 'cancelled', ...callbackIds: string[]): DeliveryStep => ({
  next: 'end',
  status,
  callbackIds,
});

/** The message's visits answer these steps; a callback that it starts is delivered at once. */
const delivering = (what: string, ...steps: [DeliveryStep, ...DeliveryStep[]]): Scenario => {
  const visit = inTurn(...steps);
  return {
    name: `deliverMessage/${what}.v1`,
    workflow: 'deliverMessage',
    workflowId: `message/${messageRef.messageId}`,
    args: [messageRef],
    activities: {
      attemptMessage: ({ messageId }) =>
        messageId === messageRef.messageId ? visit() : Promise.resolve(end('delivered')),
    },
    server: 'time-skipping',
  };
};

const waking = (workflow: 'resumeMessages' | 'startMessages', what: string, scenario: Partial<Scenario>): Scenario => ({
  name: `${workflow}/${what}.v1`,
  workflow,
  workflowId: `${workflow}/${messageRef.environmentId}`,
  args: [],
  activities: {},
  server: 'time-skipping',
  ...scenario,
});
const woken = new Set<string>();
const environmentRef = { workspaceId: ref.workspaceId, environmentId: ref.environmentId };

export const SCENARIOS: readonly Scenario[] = [
  ...PREVIEW_SCENARIOS,
  ...RECONCILIATION_SCENARIOS,
  ...APPROVAL_SCENARIOS,
  invoking('governed-acknowledged', {}),
  invoking('plain-acknowledged', {
    evaluateAndReserve: async () => ({ ...proceed, effectId: null }),
    dispatchEffect: async () => ({ seen: 'settled', state: { ...accepted, stage: null, effectId: null } }),
  }),
  invoking('confirmed-at-the-second-read', {
    evaluateAndReserve: async () => ({ ...proceed, readsBack: true }),
    readBackEffect: inTurn({ impliedOutcome: 'unknown' }, { impliedOutcome: 'succeeded' }),
    settleInvocation: async () => confirmed,
  }),
  invoking('acknowledged-after-reads-that-fail', {
    evaluateAndReserve: async () => ({ ...proceed, readsBack: true }),
    readBackEffect: failing,
  }),
  invoking('withdrawn', { evaluateAndReserve: async () => ({ decision: 'withdrawn' }) }),
  invoking('refused', { evaluateAndReserve: async () => ({ decision: 'refused', effectId }) }),
  invoking('dispatch-failed', {
    dispatchEffect: async () => ({ seen: 'settled', state: { ...accepted, status: 'failed', grade: 'failed' } }),
  }),
  invoking('recorded-and-settled-by-the-workflow', {
    dispatchEffect: async () => ({ seen: 'recorded', outcome: 'succeeded' }),
  }),
  invoking('unknown-handed-to-reconciliation', {
    dispatchEffect: async () => ({ seen: 'settled', state: held }),
    settleInvocation: async () => confirmed,
  }),
  invoking('worker-lost', { dispatchEffect: silent, settleInvocation: inTurn(held, confirmed) }, 'dev'),
  reconciling('settled-by-a-late-answer', { settleInvocation: async () => confirmed }),
  reconciling('settled-at-the-third-read', {
    settleInvocation: inTurn(held, held, held, confirmed),
    readBackEffect: inTurn(
      { impliedOutcome: 'unknown' },
      { impliedOutcome: 'unknown' },
      { impliedOutcome: 'succeeded' },
    ),
  }),
  reconciling('exhausted', {
    settleInvocation: async () => held,
    readBackEffect: async () => ({ impliedOutcome: 'unknown' }),
  }),
  reconciling('provider-pending-then-settled', {
    settleInvocation: inTurn(held, pending, pending, confirmed),
    readBackEffect: inTurn(
      { impliedOutcome: 'pending' },
      { impliedOutcome: 'pending' },
      { impliedOutcome: 'succeeded' },
    ),
  }),
  reconciling('reads-that-fail', { settleInvocation: inTurn(held, held, confirmed), readBackEffect: failing }),
  {
    name: 'sweepMaintenance/swept.v1',
    workflow: 'sweepMaintenance',
    workflowId: 'maintenance/sweep',
    args: [],
    activities: { startLostInvocations: async () => 2, deleteExpiredIdempotencyClaims: async () => 3 },
    server: 'time-skipping',
  },
  {
    name: 'sweepMaintenance/swept-with-messages.v2',
    workflow: 'sweepMaintenance',
    workflowId: 'maintenance/sweep',
    args: [],
    activities: {
      startLostInvocations: async () => 2,
      deleteExpiredIdempotencyClaims: async () => 3,
      startLostMessages: async () => 4,
      deleteExpiredDeduplications: async () => 5,
    },
    server: 'time-skipping',
  },
  delivering('delivered', end('delivered')),
  delivering('delivered-with-callback', end('delivered', 'msg_0000000000000000000002')),
  delivering('retried-then-delivered', wait(12_000), wait(148_000), end('delivered')),
  delivering(
    'failed-with-callbacks',
    wait(12_000),
    end('failed', 'msg_0000000000000000000003', 'msg_0000000000000000000004'),
  ),
  delivering('cancelled', wait(3_600_000), end('cancelled')),
  delivering('scheduled-then-delivered', wait(30 * 86_400_000), end('delivered')),
  delivering('held-while-halted', { next: 'hold' }, { next: 'hold' }, { next: 'hold' }, end('delivered')),
  delivering('held-between-retries', wait(12_000), { next: 'hold' }, wait(1_000), { next: 'hold' }, end('delivered')),
  {
    ...delivering('woken-when-resumed', { next: 'hold' }, end('delivered')),
    activities: {
      // The signal of the resumption comes while the message looks at the halt for the first time.
      attemptMessage: async () => {
        const { client, info } = Context.current();
        const workflowId = info.workflowExecution?.workflowId ?? '';
        const handle = client.workflow.getHandle(workflowId);
        if (woken.has(workflowId)) return end('delivered');
        woken.add(workflowId);
        await handle.signal('wake');
        return { next: 'hold' };
      },
    },
  },
  waking('resumeMessages', 'two-pages', {
    args: [environmentRef],
    activities: {
      wakeHeldMessages: inTurn({ woken: 100, afterId: messageRef.messageId }, { woken: 3, afterId: null }),
    },
  }),
  waking('startMessages', 'batch-of-250', {
    args: [{ ...environmentRef, messageIds: Array.from({ length: 250 }, (_, n) => `msg_${n}`) }],
    activities: { wakeMessages: async () => {} },
  }),
];
