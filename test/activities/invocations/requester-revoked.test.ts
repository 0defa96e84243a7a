import { describe, expect, test } from 'vitest';
import { revokeApiKey } from '../../../db/api-keys/api-keys.ts';
import { addDecision } from '../../../db/approvals/decisions.ts';
import { getApproval } from '../../../db/approvals/queries.ts';
import type { EnvironmentTransaction } from '../../../db/client.ts';
import { lockCredentials, lockInvocationWork } from '../../../db/invocations/locks.ts';
import { releaseInvocation } from '../../../db/invocations/changes.ts';
import { createMember, removeMember } from '../../../db/members/members.ts';
import { newId } from '../../../domain/ids.ts';
import type { InvocationRef } from '../../../domain/refs.ts';
import { keyPrincipal, plantKeys } from '../../harness/keys.ts';
import { ACCEPTED, activityEnvironment, ActivityWorld, adapterThat } from './world.ts';

/** A waiting invocation depends on its requester and its approvers, so their credentials are checked again before the mark. */

async function member(name: string, role: 'owner' | 'admin' = 'admin'): Promise<string> {
  const { workspaceId } = world.database.tenant;
  const person = { workspaceId, email: `${name}-${newId('user')}@example.test`, name, passwordHash: 'none', role };
  return (await createMember(world.database.db, person)).userId;
}

async function newKey(createdBy: string | null = null): Promise<string> {
  const id = newId('apiKey');
  await plantKeys(world.database, world.database.tenant, [id], createdBy);
  return id;
}

const inWorkspace: ActivityWorld['database']['db']['withWorkspace'] = (of, work) =>
  world.database.db.withWorkspace(of, work);

const world = await ActivityWorld.start();
await member('owner', 'owner');
const revoke = (keyId: string) => inWorkspace(world.database.tenant.workspaceId, (tx) => revokeApiKey(tx, keyId));
const remove = (userId: string) => inWorkspace(world.database.tenant.workspaceId, (tx) => removeMember(tx, userId));

/** An invocation requested by a key, waiting for its approval. */
async function parked(keyId: string): Promise<{ ref: InvocationRef; approvalId: string }> {
  const definition = { approval: { required: true, tag: null } };
  const ref = await world.admit({ definition, requestedBy: { type: 'api_key', id: keyId } });
  const evaluation = await world.activities().judgeInvocation(ref);
  if (evaluation.next !== 'ask_for_approval') throw new Error(`expected a wait, got ${evaluation.next}`);
  return { ref, approvalId: evaluation.approvalId };
}

async function agree(tx: EnvironmentTransaction, approvalId: string, keyId: string): Promise<void> {
  const approval = await getApproval(tx, approvalId);
  if (!approval) throw new Error('it was opened');
  const decision = { approvalId, decision: 'approve', note: null, bindingDigest: approval.bindingDigest } as const;
  await addDecision(tx, { ...decision, principal: keyPrincipal(keyId), session: null });
}

const approvedBy = ({ ref, approvalId }: Awaited<ReturnType<typeof parked>>, keyId: string): Promise<void> =>
  world.transaction(async (tx) => {
    await agree(tx, approvalId, keyId);
    await releaseInvocation(tx, ref.invocationId);
  });

async function reserve(ref: InvocationRef): Promise<string> {
  const { next } = await world.activities().judgeInvocation(ref);
  const { invocation, attempts } = await world.recorded(ref);
  const [approval] = await world.database.asOwner<{ status: string }>(
    'SELECT status FROM approvals WHERE invocation_id = $1',
    [ref.invocationId],
  );
  const entries = await world.database.asOwner<{ refusal: string }>(
    `SELECT l.details ->> 'refusal' AS refusal FROM audit_log l JOIN approvals a ON a.id = l.target_id
     WHERE a.invocation_id = $1 AND l.action = 'approval.invalidated'`,
    [ref.invocationId],
  );
  const code = /\((\w+)\)/.exec(invocation?.error ?? '')?.[1] ?? 'sent';
  expect(entries, 'one audit entry of each invalidated approval').toEqual(
    approval?.status === 'invalidated' ? [{ refusal: code }] : [],
  );
  return `${next}: ${code}, ${attempts.length} attempts, approval ${approval?.status ?? 'none'}`;
}

const SENT = 'send: sent, 1 attempts, approval consumed';
const REVOKED = 'ended: requester_revoked, 0 attempts, approval invalidated';
const UNAGREED = 'ended: approval_invalidated, 0 attempts, approval invalidated';

describe('who asked', () => {
  test('still may: it is sent', async () => {
    const waiting = await parked(await newKey(await member('ada')));
    await approvedBy(waiting, 'key_alice');
    expect(await reserve(waiting.ref)).toBe(SENT);
  });

  test('with a key that was revoked while it waited: refused', async () => {
    const keyId = await newKey();
    const waiting = await parked(keyId);
    await approvedBy(waiting, 'key_alice');
    await revoke(keyId);
    expect(await reserve(waiting.ref)).toBe(REVOKED);
  });

  test('with a key that was revoked between the admission and the evaluation: refused at once', async () => {
    const keyId = await newKey();
    const ref = await world.admit({ requestedBy: { type: 'api_key', id: keyId } });
    await revoke(keyId);
    expect(await world.activities().judgeInvocation(ref)).toMatchObject({
      next: 'ended',
      state: { status: 'refused' },
    });
    expect(await world.recorded(ref)).toMatchObject({
      invocation: { status: 'refused', error: expect.stringContaining('dispatch refused (requester_revoked): key ') },
      attempts: [],
    });
  });

  test('with a key whose maker was removed while it waited: refused', async () => {
    const ada = await member('ada');
    const waiting = await parked(await newKey(ada));
    await approvedBy(waiting, 'key_alice');
    await remove(ada);
    expect(await reserve(waiting.ref)).toBe(REVOKED);
  });

  test.each([
    ['with a key that was revoked', revoke],
    ['with a key whose maker was removed', async (_key: string, maker: string) => remove(maker)],
  ])('%s while its dispatch queued for a place: refused, and nothing is sent', async (_, withdraw) => {
    const ada = await member('ada');
    const keyId = await newKey(ada);
    const ref = await world.admit({ requestedBy: { type: 'api_key', id: keyId } });
    const { adapterFor, sent } = adapterThat(() => Promise.resolve(ACCEPTED));
    const { judgeInvocation, dispatchEffect, settleInvocation } = world.activities({ adapterFor });
    expect(await judgeInvocation(ref)).toMatchObject({ next: 'send' });
    await withdraw(keyId, ada);
    await activityEnvironment().run(dispatchEffect, ref);
    await settleInvocation(ref);
    expect(sent).toEqual([]);
    expect(await world.recorded(ref)).toMatchObject({
      invocation: { status: 'refused', error: expect.stringContaining('dispatch refused (requester_revoked): ') },
      attempts: [{ observed_outcome: 'not_dispatched' }],
    });
  });

  test('and came back after a removal is a new member: refused', async () => {
    const ada = await member('ada');
    const waiting = await parked(await newKey(ada));
    await approvedBy(waiting, 'key_alice');
    await remove(ada);
    await world.database.asOwner(
      `INSERT INTO members (workspace_id, user_id, role, created_at) VALUES ($1, $2, 'admin', now() + interval '1 second')`,
      [world.database.tenant.workspaceId, ada],
    );
    expect(await reserve(waiting.ref)).toBe(REVOKED);
  });

  test('with a key that outlived its maker: the key speaks for itself, and it is sent', async () => {
    const ada = await member('ada');
    const keyId = await newKey(ada);
    await remove(ada);
    const waiting = await parked(keyId);
    await approvedBy(waiting, 'key_alice');
    expect(await reserve(waiting.ref)).toBe(SENT);
  });

  test('with a key that expired while it waited: that was known beforehand, and it is sent', async () => {
    const keyId = await newKey();
    const waiting = await parked(keyId);
    await approvedBy(waiting, 'key_alice');
    await world.database.asOwner(`UPDATE api_keys SET expires_at = now() - interval '1 second' WHERE id = $1`, [keyId]);
    expect(await reserve(waiting.ref)).toBe(SENT);
  });
});

describe('who agreed', () => {
  test('with a key that was revoked before the approval is consumed: it does not count', async () => {
    const keyId = await newKey();
    const waiting = await parked('key_test');
    await approvedBy(waiting, keyId);
    await revoke(keyId);
    expect(await reserve(waiting.ref)).toBe(UNAGREED);
  });

  test('with a key whose maker was removed: it does not count', async () => {
    const ada = await member('ada');
    const waiting = await parked('key_test');
    await approvedBy(waiting, await newKey(ada));
    await remove(ada);
    expect(await reserve(waiting.ref)).toBe(UNAGREED);
  });

  test('the database takes no mark on such an agreement, whatever code asks', async () => {
    const keyId = await newKey();
    const { ref, approvalId } = await parked('key_test');
    await approvedBy({ ref, approvalId }, keyId);
    await revoke(keyId);
    const consumed = world.transaction((tx) =>
      tx.raw(null, `UPDATE approvals SET status = 'consumed', consumed_at = now() WHERE id = ?`, [approvalId]),
    );
    await expect(consumed).rejects.toThrow(/lacks its quorum/);
  });
});

/** Resolves once a statement waits for a lock of `credentials`. */
async function untilSomebodyWaits(): Promise<void> {
  while ((await world.database.lockWaits()) === 0);
}

describe('a revocation that races with the mark', () => {
  test.each(['who asked', 'who agreed'])('of %s: it comes first, and is found', async (who) => {
    const keyId = await newKey();
    const waiting = await parked(who === 'who asked' ? keyId : 'key_test');
    await approvedBy(waiting, who === 'who agreed' ? keyId : 'key_alice');
    let reserved: Promise<string> | undefined;
    await inWorkspace(world.database.tenant.workspaceId, async (tx) => {
      await revokeApiKey(tx, keyId);
      reserved = reserve(waiting.ref);
      await untilSomebodyWaits();
    });
    expect(await reserved).toBe(who === 'who asked' ? REVOKED : UNAGREED);
  });

  test('the mark comes first: the revocation waits until it is committed', async () => {
    const keyId = await newKey();
    const { ref } = await parked(keyId);
    let revoked: Promise<unknown> | undefined;
    let isRevoked = false;
    await world.transaction(async (tx) => {
      const work = await lockInvocationWork(tx, ref.invocationId);
      if (!work) throw new Error('it was admitted');
      expect(await lockCredentials(tx, work)).toBe('stands');
      revoked = revoke(keyId).then(() => (isRevoked = true));
      await untilSomebodyWaits();
      expect(isRevoked).toBe(false);
    });
    await revoked;
    expect(isRevoked).toBe(true);
  });

  test('a removal waits for the mark too', async () => {
    const ada = await member('ada');
    const { ref } = await parked(await newKey(ada));
    let removed: Promise<unknown> | undefined;
    await world.transaction(async (tx) => {
      const work = await lockInvocationWork(tx, ref.invocationId);
      if (!work) throw new Error('it was admitted');
      expect(await lockCredentials(tx, work)).toBe('stands');
      removed = remove(ada);
      await untilSomebodyWaits();
    });
    await removed;
  });
});
