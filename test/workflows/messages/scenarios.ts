import type { NoPlace } from '../../../domain/in-flight.ts';
import type { DeliveryStep, MessageRef, WokenPage } from '../../../domain/messages/messages.ts';
import { caller, ENVIRONMENT, inTurn, NO_PLACE, type Scenario } from '../../replay/scenario.ts';

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
const pacing = (what: string, startDueMessages: () => Promise<number | null | NoPlace>): Scenario => ({
  name: `paceMessages/${what}.v1`,
  workflow: 'paceMessages',
  workflowId: `message-pacer/${ENVIRONMENT.environmentId}`,
  args: [ENVIRONMENT],
  activities: { startDueMessages },
  server: 'time-skipping',
});
const told = new Set<string>();
/** Signals the pacer in its first look, as a newcomer does that is due earlier. */
const toldIn = (name: string, nextInMs: number | null) => async (): Promise<number | null> => {
  const handle = caller();
  const key = `${handle.workflowId}/${name}`;
  if (told.has(key)) return null;
  told.add(key);
  await handle.signal('pace');
  return nextInMs;
};
const woken = new Set<string>();
let batches = 0;

export const scenarios: readonly Scenario[] = [
  pacing('two-due-times', inTurn<number | null>(60_000, 0, 86_400_000, 0, null)),
  pacing('queued', inTurn<number | null | NoPlace>(NO_PLACE, 60_000, NO_PLACE, null)),
  pacing('told-at-its-end', toldIn('end', null)),
  pacing('told-while-it-waits', toldIn('waiting', 86_400_000)),
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
    activities: { startInTurn: () => Promise.resolve(batches++ === 0 ? NO_PLACE : undefined) },
  }),
  waking('resumeMessages', 'queued', {
    args: [ENVIRONMENT],
    activities: {
      wakeHeldMessages: inTurn<WokenPage | NoPlace>(NO_PLACE, { woken: 3, afterId: null }),
      grantAfterHalt: inTurn<string | null | NoPlace>(NO_PLACE, null),
    },
  }),
];
