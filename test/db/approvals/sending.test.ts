import { expect, test } from 'vitest';
import { newId } from '../../../domain/ids.ts';
import { plantEffect } from '../effects/planted-rows.ts';
import { withoutTriggers } from '../harness/plant.ts';
import { startPlantedDatabase } from '../harness/planted-database.ts';
import { plantInvocation, refusalOf } from '../invocations/planted-rows.ts';
import { plantApproval } from './planted-rows.ts';

/** What waits for an approval is sent by that approval alone: the database refuses the rest, whatever the code does. */

const world = await startPlantedDatabase();
const { database, owner, planted } = world;

interface Waiting {
  invocationId: string;
  effectId: string;
  approvalId: string;
}

/** An invocation and its effect that wait for an approval, which has this status. No decision is needed past the triggers. */
async function waitingFor(status: string): Promise<Waiting> {
  const { tenant } = database;
  const invocationId = await plantInvocation(owner, tenant, planted);
  return withoutTriggers(owner, async () => {
    const effectId = await plantEffect(
      owner,
      tenant,
      { invocationId, versionId: planted.versionId },
      { stage: 'awaiting_approval' },
    );
    const approvalId = await plantApproval(owner, tenant, {
      kind: 'invocation',
      invocation_id: invocationId,
      effect_id: effectId,
      preview_id: newId('preview'),
      action_id: planted.actionId,
      payload: null,
      source: 'action',
      status,
      decided_at: status === 'pending' ? null : new Date(),
      consumed_at: status === 'consumed' ? new Date() : null,
    });
    await owner.query('UPDATE effects SET approval_id = $1 WHERE id = $2', [approvalId, effectId]);
    await owner.query(
      `UPDATE invocations SET status = 'pending_approval', effect_id = $1, approval_id = $2 WHERE id = $3`,
      [effectId, approvalId, invocationId],
    );
    return { invocationId, effectId, approvalId };
  });
}

const setInvocation = ({ invocationId }: Waiting, change: string): Promise<unknown> =>
  owner.query(`UPDATE invocations SET ${change} WHERE id = $1`, [invocationId]);
const setEffect = ({ effectId }: Waiting, change: string): Promise<unknown> =>
  owner.query(`UPDATE effects SET ${change} WHERE id = $1`, [effectId]);
const statusIs = (status: string): string => `status = '${status}', ${refusalOf(`'${status}'`)}`;
async function statusOf({ invocationId, effectId }: Waiting): Promise<unknown> {
  const { rows } = await owner.query(
    'SELECT i.status, e.stage FROM invocations i, effects e WHERE i.id = $1 AND e.id = $2',
    [invocationId, effectId],
  );
  return rows[0];
}

test.each(['pending', 'approved', 'denied', 'expired', 'cancelled', 'invalidated'])(
  'an invocation whose approval is %s is not marked for sending',
  async (status) => {
    const waiting = await waitingFor(status);
    await expect(setInvocation(waiting, statusIs('dispatching'))).rejects.toThrow(/was not approved/);
    expect(await statusOf(waiting)).toEqual({ status: 'pending_approval', stage: 'awaiting_approval' });
    await setInvocation(waiting, statusIs('queued'));
    await expect(setInvocation(waiting, statusIs('dispatching'))).rejects.toThrow(/was not approved/);
  },
);

test('an invocation is marked for sending by the approval that was consumed for it', async () => {
  const waiting = await waitingFor('consumed');
  await setInvocation(waiting, statusIs('dispatching'));
  expect(await statusOf(waiting)).toMatchObject({ status: 'dispatching' });
});

test('the approval that was consumed for another invocation sends nothing, and takes no place', async () => {
  const [waiting, other] = [await waitingFor('pending'), await waitingFor('consumed')];
  const { approvalId } = other;
  await expect(setInvocation(waiting, `approval_id = '${approvalId}'`)).rejects.toThrow(/is for good/);
  await expect(setInvocation(waiting, 'approval_id = NULL')).rejects.toThrow(/is for good/);
  await withoutTriggers(owner, async () => {
    for (const set of [setInvocation, setEffect]) {
      await set(other, 'approval_id = NULL');
      await set(waiting, `approval_id = '${approvalId}'`);
    }
  });
  await expect(setInvocation(waiting, statusIs('dispatching'))).rejects.toThrow(/was not approved/);
  await expect(setEffect(waiting, `stage = 'ready'`)).rejects.toThrow(/was not approved/);
});

test('no invocation waits without an approval', async () => {
  const invocationId = await plantInvocation(owner, database.tenant, planted);
  await expect(
    owner.query(`UPDATE invocations SET status = 'pending_approval' WHERE id = $1`, [invocationId]),
  ).rejects.toThrow(/waits for no approval/);
});

test.each(['denied', 'expired'])('an invocation is %s as its approval is, and only so', async (end) => {
  for (const status of ['pending', 'approved', 'cancelled', end === 'denied' ? 'expired' : 'denied']) {
    const waiting = await waitingFor(status);
    await expect(setInvocation(waiting, statusIs(end)), status).rejects.toThrow(`the approval of invocation`);
    expect(await statusOf(waiting), status).toMatchObject({ status: 'pending_approval' });
  }
});

test.each(['pending', 'denied', 'expired', 'cancelled', 'invalidated', 'consumed'])(
  'an effect whose approval is %s does not become ready',
  async (status) => {
    const waiting = await waitingFor(status);
    await expect(setEffect(waiting, `stage = 'ready'`)).rejects.toThrow(/was not approved/);
    expect(await statusOf(waiting)).toMatchObject({ stage: 'awaiting_approval' });
  },
);

test('an effect becomes ready by its approval', async () => {
  const waiting = await waitingFor('approved');
  await setEffect(waiting, `stage = 'ready'`);
  expect(await statusOf(waiting)).toMatchObject({ stage: 'ready' });
});
