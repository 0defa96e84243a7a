import { expect, test } from 'vitest';
import { insertMessages } from '../../../db/messages/insert-messages.ts';
import { ensureSigningKey } from '../../../db/signing-keys/signing-keys.ts';
import { PermitTakers, type Taker } from '../../../activities/permit-takers.ts';
import { newId } from '../../../domain/ids.ts';
import type { PlanName } from '../../../domain/plans.ts';
import { plainMessage } from '../../db/messages/plain-message.ts';
import { activityEnvironment, ActivityWorld } from '../invocations/world.ts';

/** A visit looks for a message where its workspace's last one was. After a change of the plan both classes have messages that are due. */

const world = await ActivityWorld.start();
await world.transaction((tx) => ensureSigningKey(tx, world.vault, world.database.tenant.workspaceId));

/** What the takers' own work answers: null makes them pause and ask again. */
class WatchedTakers extends PermitTakers {
  readonly answers: ('asked again' | 'taken')[] = [];

  override inTurn: PermitTakers['inTurn'] = (taker: Taker, take) =>
    super.inTurn(taker, async () => {
      const answer = await take();
      this.answers.push(answer === null ? 'asked again' : 'taken');
      return answer;
    });
}

async function accepted(plan: PlanName): Promise<string> {
  const { workspaceId } = world.database.tenant;
  await world.database.asOwner('UPDATE workspaces SET plan = $2 WHERE id = $1', [workspaceId, plan]);
  const id = newId('message');
  await world.transaction((tx) => insertMessages(tx, [plainMessage({ id })]));
  return id;
}

test('messages of two classes of retention are delivered in turn, each of them once', async () => {
  const week = [await accepted('free'), await accepted('free')];
  const quarter = [await accepted('enterprise'), await accepted('enterprise')];
  const sent: unknown[] = [];
  const takers = new WatchedTakers();
  const { attemptMessage } = world.activities({
    permitTakers: takers,
    sendRequest: ({ headers }) => {
      sent.push(headers['webhook-id']);
      return Promise.resolve({ kind: 'response', response: { status: 200, headers: [], body: Buffer.alloc(0) } });
    },
  });
  const inTurn = [week[0], quarter[0], week[1], quarter[1]];
  for (const messageId of inTurn) {
    const ref = { ...world.database.tenant, messageId: messageId ?? '' };
    expect(await activityEnvironment().run(attemptMessage, ref)).toMatchObject({ next: 'end', status: 'delivered' });
  }
  expect(sent).toEqual(inTurn);
  // A wrong guess is answered within the turn: no taker of the workspace stands behind its pause.
  expect(takers.answers).toEqual(inTurn.map(() => 'taken'));
  const rows = await world.database.asOwner('SELECT DISTINCT retention, status, attempts FROM messages ORDER BY 1');
  expect(rows).toEqual([
    { retention: 'quarter', status: 'delivered', attempts: 1 },
    { retention: 'week', status: 'delivered', attempts: 1 },
  ]);
});
