import { describe, expect, test } from 'vitest';
import { addDecision } from '../../../db/approvals/decisions.ts';
import { getApproval } from '../../../db/approvals/queries.ts';
import { lockCredentials, lockInvocationWork } from '../../../db/invocations/locks.ts';
import { releaseInvocation } from '../../../db/invocations/changes.ts';
import { createMember } from '../../../db/members/members.ts';
import { endGrant } from '../../../db/oauth/grants.ts';
import type { InvocationRef } from '../../../domain/refs.ts';
import { plantGrant } from '../../api/oauth/planted-grant.ts';
import { PATIENCE_MS } from '../../harness/patience.ts';
import { ACCEPTED, activityEnvironment, ActivityWorld, adapterThat } from './world.ts';

/** What a connected app asked for, or agreed to for its user, counts while that very connection has not ended. */

const CLIENT_ID = 'https://agent.example/client.json';
const world = await ActivityWorld.start();
const { workspaceId } = world.database.tenant;
const person = { workspaceId, email: 'eve@example.test', name: 'Eve', passwordHash: 'none', role: 'owner' } as const;
const { userId } = await createMember(world.database.db, person);

const connectApp = (): Promise<string> => plantGrant(world.database, world.database.tenant, userId, CLIENT_ID);
const disconnect = (grantId: string): Promise<unknown> =>
  world.database.db.withUser(userId, (tx) => endGrant(tx, grantId, 'user'));

const askedBy = (connectedAppId: string): Promise<InvocationRef> =>
  world.admit({ requestedBy: { type: 'user', id: userId, clientId: CLIENT_ID }, connectedAppId });

/** An invocation of a key that the user has approved through an app. */
async function approvedThrough(connectedAppId: string): Promise<InvocationRef> {
  const ref = await world.admit({ definition: { approval: { required: true, tag: null } } });
  const evaluation = await world.activities().judgeInvocation(ref);
  if (evaluation.next !== 'ask_for_approval') throw new Error(`expected a wait, got ${evaluation.next}`);
  const { approvalId } = evaluation;
  await world.transaction(async (tx) => {
    const approval = await getApproval(tx, approvalId);
    if (!approval) throw new Error('it was opened');
    await addDecision(tx, {
      approvalId,
      decision: 'approve',
      note: null,
      bindingDigest: approval.bindingDigest,
      principal: { type: 'user', id: userId, keyName: null, role: 'owner', email: 'eve@example.test', maker: null },
      session: null,
      app: { clientId: CLIENT_ID, connectedAppId },
    });
    await releaseInvocation(tx, ref.invocationId);
  });
  return ref;
}

async function errorOf(ref: InvocationRef): Promise<string | null> {
  return (await world.recorded(ref)).invocation?.error ?? null;
}

async function untilSomebodyWaits(): Promise<void> {
  await expect.poll(() => world.database.lockWaits(), { timeout: PATIENCE_MS }).toBeGreaterThan(0);
}

describe('an app that asked', () => {
  test('is refused once it was disconnected, whichever other connections its user has to the same app', async () => {
    const [ended, other] = [await connectApp(), await connectApp()];
    const [withdrawn, kept] = [await askedBy(ended), await askedBy(other)];
    await disconnect(ended);
    const { judgeInvocation } = world.activities();
    expect(await judgeInvocation(withdrawn)).toMatchObject({
      next: 'ended',
      state: { refusal: 'requester_revoked' },
    });
    expect(await errorOf(withdrawn)).toContain('the app that asked for it was disconnected meanwhile');
    expect(await judgeInvocation(kept)).toMatchObject({ next: 'send' });
  });

  test('and was disconnected while its dispatch queued for a place: nothing is sent', async () => {
    const [ended, other] = [await connectApp(), await connectApp()];
    const refs = [await askedBy(ended), await askedBy(other)];
    const { adapterFor, sent } = adapterThat(() => Promise.resolve(ACCEPTED));
    const { judgeInvocation, dispatchEffect, settleInvocation } = world.activities({ adapterFor });
    for (const ref of refs) expect(await judgeInvocation(ref)).toMatchObject({ next: 'send' });
    await disconnect(ended);
    const statuses: (string | undefined)[] = [];
    for (const ref of refs) {
      await activityEnvironment().run(dispatchEffect, ref);
      await settleInvocation(ref);
      statuses.push((await world.recorded(ref)).invocation?.status);
    }
    expect([statuses, sent.length]).toEqual([['refused', 'succeeded'], 1]);
  });

  test('in a row that was written before grants were kept, counts while its user has the app connected at all', async () => {
    const [one, two] = [await connectApp(), await connectApp()];
    const ask = (): Promise<InvocationRef> =>
      world.admit({ requestedBy: { type: 'user', id: userId, clientId: CLIENT_ID } });
    const earlier = [await ask(), await ask()];
    await disconnect(one);
    const { judgeInvocation } = world.activities();
    expect(await judgeInvocation(earlier[0] as InvocationRef)).toMatchObject({ next: 'send' });
    await world.database.asOwner(
      `UPDATE oauth_grants SET ended_at = now(), ended_by = 'user' WHERE user_id = $1 AND ended_at IS NULL`,
      [userId],
    );
    expect(await errorOf(earlier[1] as InvocationRef)).toBeNull();
    expect(await judgeInvocation(earlier[1] as InvocationRef)).toMatchObject({
      next: 'ended',
      state: { status: 'refused' },
    });
    expect(two).not.toBe(one);
  });
});

describe('an app that agreed', () => {
  test.each(['user', 'reuse'] as const)(
    'and was ended before the dispatch (%s): it does not count',
    async (endedBy) => {
      const grantId = await connectApp();
      const ref = await approvedThrough(grantId);
      await world.transaction((tx) => endGrant(tx, grantId, endedBy));
      expect(await world.activities().judgeInvocation(ref)).toMatchObject({
        next: 'ended',
        state: { refusal: 'approval_invalidated' },
      });
      expect(await errorOf(ref)).toContain('an app disconnected');
    },
  );

  test('and whose connection expired: that was known beforehand, and it is sent', async () => {
    const grantId = await connectApp();
    const ref = await approvedThrough(grantId);
    await world.database.asOwner(`UPDATE oauth_grants SET expires_at = now() WHERE id = $1`, [grantId]);
    expect(await world.activities().judgeInvocation(ref)).toMatchObject({ next: 'send' });
  });

  test('the database takes no mark on an agreement of an app that was disconnected, whatever code asks', async () => {
    const grantId = await connectApp();
    const { invocationId } = await approvedThrough(grantId);
    await disconnect(grantId);
    const consumed = world.transaction((tx) =>
      tx.raw(null, `UPDATE approvals SET status = 'consumed', consumed_at = now() WHERE invocation_id = ?`, [
        invocationId,
      ]),
    );
    await expect(consumed).rejects.toThrow(/lacks its quorum/);
  });

  test('a disconnection that comes first is waited for, and found', async () => {
    const grantId = await connectApp();
    const ref = await approvedThrough(grantId);
    let reserved: Promise<unknown> | undefined;
    await world.database.db.withUser(userId, async (tx) => {
      await endGrant(tx, grantId, 'user');
      reserved = world.activities().judgeInvocation(ref);
      await untilSomebodyWaits();
    });
    expect(await reserved).toMatchObject({ next: 'ended', state: { refusal: 'approval_invalidated' } });
  });

  test('the mark comes first: the disconnection waits until it is committed', async () => {
    const grantId = await connectApp();
    const ref = await approvedThrough(grantId);
    let disconnected: Promise<unknown> | undefined;
    await world.transaction(async (tx) => {
      const work = await lockInvocationWork(tx, ref.invocationId);
      if (!work) throw new Error('it was admitted');
      expect(await lockCredentials(tx, work)).toBe('stands');
      disconnected = disconnect(grantId);
      await untilSomebodyWaits();
    });
    expect(await disconnected).toBe(true);
  });
});
