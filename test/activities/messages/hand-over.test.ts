import { beforeEach, describe, expect, test } from 'vitest';
import { insertMessages } from '../../../db/messages/insert-messages.ts';
import { newId } from '../../../domain/ids.ts';
import { plainMessage } from '../../db/messages/plain-message.ts';
import { ActivityWorld } from '../invocations/world.ts';
import { answering, attemptDue, claimDue } from './attempts.ts';

/** What the workflow of a message, and the pacer of an environment, ask of the record. */

const world = await ActivityWorld.start();
const { tenant } = world.database;
const { handOverMessage, handOverPaced, cancelDelivery } = world.activities();
const asOwner: typeof world.database.asOwner = (...statement) => world.database.asOwner(...statement);
beforeEach(() => asOwner('DELETE FROM lane_queue'));

/** A message that is due in an hour, under the pacer. */
async function scheduled(): Promise<{ messageId: string } & typeof tenant> {
  const id = newId('message');
  const scheduledFor = new Date(Date.now() + 3_600_000);
  await world.transaction((tx) => insertMessages(tx, [plainMessage({ id, scheduledFor, maxRetries: 1 })]));
  return { ...tenant, messageId: id };
}
const becomeDue = (): Promise<unknown> => asOwner('UPDATE lane_queue SET due_at = now()');
const stateOf = async (messageId: string): Promise<unknown> => {
  const [row] = await asOwner(
    'SELECT m.status, q.state, q.has_workflow FROM messages m LEFT JOIN lane_queue q ON q.message_id = m.id WHERE m.id = $1',
    [messageId],
  );
  return row;
};

describe('the workflow of a message', () => {
  test('takes the message from the pacer, waits, hands it over once it is due, waits for its retry, and hears its end', async () => {
    const ref = await scheduled();
    const step = await handOverMessage(ref);
    if (step.next !== 'wait') throw new Error(step.next);
    expect(Math.abs(step.dueInMs - 3_600_000)).toBeLessThan(10_000);
    expect(await stateOf(ref.messageId)).toEqual({ status: 'scheduled', state: 'timed', has_workflow: true });
    expect(await claimDue(world)).toEqual([]);

    await becomeDue();
    expect(await handOverMessage(ref)).toEqual({ next: 'attempt' });
    expect(await stateOf(ref.messageId)).toEqual({ status: 'pending', state: 'ready', has_workflow: true });
    expect(await handOverMessage(ref)).toEqual({ next: 'attempt' }); // it waits in its lane
    await attemptDue(world, { sendRequest: answering(500) });
    expect(await handOverMessage(ref)).toMatchObject({ next: 'wait' });
    await becomeDue();
    await handOverMessage(ref);
    await attemptDue(world, { sendRequest: answering(500) });
    expect(await handOverMessage(ref)).toEqual({ next: 'end', status: 'failed' });
  });

  test('that is cancelled in Temporal cancels the message, but for an attempt that is under way, and says so in the audit log', async () => {
    const waiting = await scheduled();
    for (let times = 0; times < 2; times++) expect(await cancelDelivery(waiting)).toBe('cancelled');
    expect(await stateOf(waiting.messageId)).toEqual({ status: 'cancelled', state: null, has_workflow: null });
    const audit = 'SELECT actor_type, action FROM audit_log WHERE target_id = $1';
    expect(await asOwner(audit, [waiting.messageId])).toEqual([{ actor_type: 'system', action: 'message.cancelled' }]);

    const sent = await scheduled();
    await becomeDue();
    await handOverMessage(sent);
    let during: unknown;
    const sendRequest: ReturnType<typeof answering> = async (...call) => {
      during = await cancelDelivery(sent);
      return answering(200)(...call);
    };
    await attemptDue(world, { sendRequest });
    expect([during, await cancelDelivery(sent)]).toEqual([null, 'delivered']);
  });
});

describe('the pacer of an environment', () => {
  test('hands over what is due, says when the next is, and that none is left', async () => {
    expect(await handOverPaced(tenant)).toBeNull();
    const [due, later, withWorkflow] = [await scheduled(), await scheduled(), await scheduled()];
    await handOverMessage(withWorkflow);
    await asOwner('UPDATE lane_queue SET due_at = now() WHERE message_id <> $1', [later.messageId]);
    const nextInMs = await handOverPaced(tenant);
    expect(Math.abs((nextInMs ?? 0) - 3_600_000)).toBeLessThan(10_000);
    expect(await stateOf(due.messageId)).toEqual({ status: 'pending', state: 'ready', has_workflow: false });
    expect(await stateOf(withWorkflow.messageId)).toMatchObject({ status: 'scheduled', state: 'timed' });
    await becomeDue();
    expect(await handOverPaced(tenant)).toBeNull();
    expect(new Set((await claimDue(world)).map(({ id }) => id))).toEqual(new Set([due.messageId, later.messageId]));
  });
});
