import type { NoPermit } from '../../../domain/in-flight.ts';
import type { DeliveryStep, MessageRef, WokenPage } from '../../../domain/messages/messages.ts';
import { caller, ENVIRONMENT, inTurn, NO_PERMIT, type Scenario } from '../../replay/scenario.ts';

const messageRef: MessageRef = { messageId: 'msg_0000000000000000000001', ...ENVIRONMENT };
const wait = (delayMs: number): DeliveryStep => ({ next: 'wait', delayMs });
const end = (status: 'delivered' | 'failed' | 'cancelled', ...callbackIds: string[]): DeliveryStep => ({
  next: 'end',
  status,
  callbackIds,
});

/** The message's visits return these steps. A callback that it starts is delivered at once. */
const delivering = (what: string, ...steps: [DeliveryStep, ...DeliveryStep[]]): Scenario => {
  const visit = inTurn(...steps);
  return {
    name: `deliverMessage/${what}.v1`,
    workflow: 'deliverMessage',
    workflowId: `message/${messageRef.messageId}`,
    args: [messageRef],
    activities: {
      attemptMessageAtOnce: ({ messageId }) =>
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
let batches = 0;

export const scenarios: readonly Scenario[] = [
  delivering('queued-then-delivered', { next: 'wait', delayMs: 5_000, isQueued: true }, end('delivered')),
  delivering('delivered', end('delivered')),
  {
    ...delivering('without-a-slot-at-once', end('delivered')),
    activities: {
      attemptMessageAtOnce: () => Promise.resolve(null),
      attemptMessage: () => Promise.resolve(end('delivered')),
    },
  },
  delivering('delivered-with-callback', end('delivered', 'msg_0000000000000000000002')),
  delivering('retried-then-delivered', wait(12_000), wait(148_000), end('delivered')),
  delivering(
    'failed-with-callbacks',
    wait(12_000),
    end('failed', 'msg_0000000000000000000003', 'msg_0000000000000000000004'),
  ),
  delivering('cancelled', wait(3_600_000), end('cancelled')),
  delivering('scheduled-then-delivered', wait(30 * 86_400_000), end('delivered')),
  delivering('parked', { next: 'park' }),
  delivering('parked-between-retries', wait(12_000), { next: 'park' }),
  {
    ...delivering('granted-while-it-parks', { next: 'park' }, end('delivered')),
    activities: {
      // Its key grants it again, or its halt ends, at the moment at which it parks: the signal meets the end of the workflow.
      attemptMessageAtOnce: async () => {
        const handle = caller();
        if (woken.has(handle.workflowId)) return end('delivered');
        woken.add(handle.workflowId);
        await handle.signal('wake');
        return { next: 'park' };
      },
    },
  },
  waking('resumeMessages', 'two-pages', {
    args: [ENVIRONMENT],
    activities: {
      grantAfterHalt: inTurn<string | null>('fck_0000000000000000000001', null),
      wakeHeldMessages: inTurn({ woken: 100, afterId: messageRef.messageId }, { woken: 3, afterId: null }),
    },
  }),
  waking('startMessages', 'batch-of-250', {
    args: [{ ...ENVIRONMENT, messageIds: Array.from({ length: 250 }, (_, n) => `msg_${n}`) }],
    activities: { startInTurn: async () => {} },
  }),
  waking('startMessages', 'queued', {
    args: [{ ...ENVIRONMENT, messageIds: [messageRef.messageId] }],
    activities: { startInTurn: () => Promise.resolve(batches++ === 0 ? NO_PERMIT : undefined) },
  }),
  waking('resumeMessages', 'queued', {
    args: [ENVIRONMENT],
    activities: {
      wakeHeldMessages: inTurn<WokenPage | NoPermit>(NO_PERMIT, { woken: 3, afterId: null }),
      grantAfterHalt: inTurn<string | null | NoPermit>(NO_PERMIT, null),
    },
  }),
];
