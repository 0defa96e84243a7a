import type { DeliveryStep, MessageEnd, MessageRef } from '../../../domain/messages/messages.ts';
import { caller, ENVIRONMENT, inTurn, type Scenario } from '../../replay/scenario.ts';

const messageRef: MessageRef = { messageId: 'msg_0000000000000000000001', ...ENVIRONMENT };
const DAY_MS = 86_400_000;
const wait = (dueInMs: number): DeliveryStep => ({ next: 'wait', dueInMs });
const end = (status: MessageEnd): DeliveryStep => ({ next: 'end', status });
/** It is in its lane, or its attempt is under way. */
const attempt: DeliveryStep = { next: 'attempt' };

const delivering = (what: string, activities: Scenario['activities']): Scenario => ({
  name: `deliverMessage/${what}.v1`,
  workflow: 'deliverMessage',
  workflowId: `message/${messageRef.messageId}`,
  args: [messageRef],
  activities,
  server: 'time-skipping',
});
/** The message's looks return these steps. */
const looking = (what: string, ...steps: [DeliveryStep, ...DeliveryStep[]]): Scenario =>
  delivering(what, { handOverMessage: inTurn(...steps) });

/** In its first look somebody signals the workflow, or asks for its cancellation. */
const meeting = (what: string, meet: 'wake' | 'cancel', first: DeliveryStep, activities: Scenario['activities']) => {
  const met = new Set<string>();
  return delivering(what, {
    handOverMessage: async () => {
      const handle = caller();
      if (met.has(handle.workflowId)) return end('cancelled');
      met.add(handle.workflowId);
      await (meet === 'wake' ? handle.signal('wake') : handle.cancel());
      return first;
    },
    ...activities,
  });
};

const pacing = (what: string, handOverPaced: () => Promise<number | null>): Scenario => ({
  name: `paceMessages/${what}.v1`,
  workflow: 'paceMessages',
  workflowId: `message-pacer/${ENVIRONMENT.environmentId}`,
  args: [ENVIRONMENT],
  activities: { handOverPaced },
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

export const scenarios: readonly Scenario[] = [
  pacing('two-due-times', inTurn<number | null>(60_000, 0, DAY_MS, 0, null)),
  pacing('told-at-its-end', toldIn('end', null)),
  pacing('told-while-it-waits', toldIn('waiting', DAY_MS)),
  looking('retried-then-delivered', wait(12_000), attempt, wait(148_000), attempt, end('delivered')),
  looking('scheduled-then-delivered', wait(30 * DAY_MS), attempt, end('delivered')),
  looking('retried-then-failed', wait(12_000), attempt, end('failed')),
  looking('long-in-its-lane', attempt, attempt, attempt, attempt, end('delivered')),
  looking('ended-before-its-first-look', end('delivered')),
  meeting('cancelled-while-it-waits', 'wake', wait(DAY_MS), {}),
  meeting('cancelled-in-temporal', 'cancel', wait(DAY_MS), { cancelDelivery: inTurn<MessageEnd | null>('cancelled') }),
  meeting('cancelled-in-temporal-during-an-attempt', 'cancel', attempt, {
    cancelDelivery: inTurn<MessageEnd | null>(null, null, 'cancelled'),
  }),
];
