import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../domain/json.ts';
import type { Role } from '../../../domain/roles.ts';
import { startTestService } from '../../harness/service.ts';
import { startTarget } from '../../harness/target.ts';
import { memberSession } from '../harness/member-session.ts';
import { createAction, errorOf, invoke, type Caller } from '../invocations/support.ts';
import {
  type Approval,
  approvalIn,
  approvalsIn,
  approve,
  deny,
  keyClient,
  putPolicy,
  readApproval,
  untilStatus,
  untilWatched,
} from './support.ts';

/** The inbox: what it shows, who may decide, and approvals of work that a caller runs itself. */
const [service, target] = await Promise.all([startTestService(), startTarget()]);
const { development } = service.database.tenants;
const [agent, alice, bob] = await Promise.all([
  keyClient(service, development),
  keyClient(service, development, { name: 'finance desk', preset: 'full_access' }),
  keyClient(service, development),
]);

const MONEY = { impact: [{ dimension: 'money', currency: 'usd', amount: { path: 'input.amount' }, bound: 'exact' }] };

async function parked(approval: JsonObject = {}, path = '/ok'): Promise<Approval> {
  const action = await createAction(agent, { url: `${target.baseUrl}${path}` }, MONEY);
  const rule = { id: 'ask', match: { actions: [action] }, effect: 'require_approval', approval };
  await putPolicy(agent, { schema: 'approval-policy/v1', name: randomUUID(), rules: [rule] });
  const { status, invocation } = await invoke(agent, action, { input: { amount: 700 } });
  expect(status).toBe(202);
  return readApproval(agent, invocation.approvalId);
}

async function member(role: Role): Promise<Caller & { userId: string }> {
  const { workspaceId, environmentId } = service.database.tenants.development;
  const session = await memberSession(service, workspaceId, role);
  const headers = { ...session.headers, 'X-Environment-Id': environmentId };
  return {
    userId: session.userId,
    get: (path) => service.call('GET', path, { headers }),
    post: (path, body) => service.call('POST', path, { headers, body }),
  };
}

describe('the inbox', () => {
  test('shows what remains of the limits now, and keeps what was previewed afterwards', async () => {
    const asked = await parked();
    const limit = { name: 'a day', dimension: 'money', currency: 'usd', cap: 1_000, period: 'day' };
    const made = await agent.post('/api/v2/impact-limits', { ...limit, scope: { actions: [asked.action?.name] } });
    expect(made.status).toBe(201);
    const [shown] = approvalsIn(await alice.get(`/api/v2/approvals?status=pending&action=${asked.action?.name}`));
    expect(shown?.allowances).toMatchObject([{ name: 'a day', available: 1_000, requested: 700, sufficient: true }]);
    expect(shown?.preview?.allowances).toEqual([]);
    expect(approvalIn(await deny(alice, asked)).allowances).toEqual([]);
    expect(approvalsIn(await alice.get(`/api/v2/approvals?status=pending&action=${asked.action?.name}`))).toEqual([]);
    const denied = approvalsIn(await alice.get(`/api/v2/approvals?status=denied&action=${asked.action?.id}`));
    expect(denied.map(({ id }) => id)).toEqual([asked.id]);
  });

  test('answers who waits for a decision with that decision', async () => {
    const asked = await parked();
    const waiting = readApproval(bob, asked.id, 60);
    await deny(alice, asked, 'Not now.');
    expect(await waiting).toMatchObject({ status: 'denied', decisions: [{ note: 'Not now.' }] });
  });

  test('after its time takes no decision, also where nobody has ended it yet', async () => {
    const asked = await parked();
    await untilWatched(service, asked.id);
    await service.database.asOwner(
      `SET session_replication_role = replica; UPDATE approvals SET created_at = now() - interval '2 days',
       expires_at = now() - interval '1 day' WHERE id = '${asked.id}'`,
    );
    for (const reply of [await approve(alice, asked), await deny(alice, asked)]) {
      expect([reply.status, errorOf(reply).message]).toEqual([409, expect.stringContaining('expired at')]);
    }
  });
});

describe('who decides', () => {
  test('members whose role the rule names, and nobody else', async () => {
    const asked = await parked({ approvers: { roles: ['member'] }, quorum: 1 });
    const [admin, plain] = await Promise.all([member('admin'), member('member')]);
    for (const other of [alice, admin]) {
      const reply = await approve(other, asked);
      expect([reply.status, errorOf(reply).code]).toEqual([403, 'AUTHORIZATION_ERROR']);
    }
    const decided = approvalIn(await approve(plain, asked));
    expect(decided).toMatchObject({
      status: 'approved',
      decisions: [
        {
          actor: { type: 'user', id: plain.userId },
          authentication: { method: 'password', role: 'member', keyName: null },
        },
      ],
    });
    await untilStatus(agent, asked.invocationId ?? '', ['succeeded']);
  });

  test('where nobody is named: keys that may decide, admins and owners, but no plain member', async () => {
    const asked = await parked({ quorum: 2 });
    const [admin, plain] = await Promise.all([member('admin'), member('member')]);
    expect((await approve(plain, asked)).status).toBe(403);
    expect(approvalIn(await approve(alice, asked)).status).toBe('pending');
    expect(approvalIn(await approve(admin, asked)).status).toBe('approved');
  });

  test('a key by its name; the approvals of another environment are not there', async () => {
    const asked = await parked({ approvers: { keys: ['finance desk'] } });
    expect((await approve(bob, asked)).status).toBe(403);
    const elsewhere = await keyClient(service, service.database.tenants.staging, {
      name: 'finance desk',
      preset: 'full_access',
    });
    expect((await approve(elsewhere, asked)).status).toBe(404);
    expect(approvalIn(await approve(alice, asked)).status).toBe('approved');
  });
});

describe('a free-standing approval', () => {
  const ask = async (over: JsonObject = {}): Promise<Approval> =>
    approvalIn(
      await agent.post('/api/v2/approvals', {
        title: 'Deploy 2.4.1',
        summary: 'Deploys version 2.4.1 to the shop.',
        payload: { version: '2.4.1' },
        ...over,
      }),
    );

  test('is agreed to by others than who opened it, and waited for', async () => {
    const asked = await ask({ quorum: 2, expiresIn: 'PT30M' });
    expect(asked).toMatchObject({ kind: 'free_standing', status: 'pending', invocationId: null, preview: null });
    expect(Date.parse(asked.expiresAt) - Date.parse(asked.createdAt)).toBeCloseTo(30 * 60_000, -3);
    const waiting = readApproval(agent, asked.id, 60);
    expect((await approve(agent, asked)).status).toBe(403);
    expect((await approve(alice, { ...asked, bindingDigest: `sha256:${'0'.repeat(64)}` })).status).toBe(409);
    expect(approvalIn(await approve(alice, asked)).status).toBe('pending');
    expect(approvalIn(await approve(bob, asked)).status).toBe('approved');
    expect(await waiting).toMatchObject({ status: 'approved', consumedAt: null, quorum: { required: 2, received: 2 } });
  });

  test('has another digest for another payload', async () => {
    const [first, second] = [await ask(), await ask({ payload: { version: '2.4.2' } })];
    expect(first.bindingDigest).not.toBe(second.bindingDigest);
  });

  test.each<[string, JsonObject]>([
    ['a payload over 64 KiB', { payload: 'x'.repeat(65_536) }],
    ['less than a minute', { expiresIn: 'PT59S' }],
    ['more than thirty days', { expiresIn: 'P31D' }],
    ['nobody who agrees', { quorum: 0 }],
    ['an unknown field', { approvers: [] }],
  ])('%s is 400', async (_, over) => {
    const reply = await agent.post('/api/v2/approvals', { title: 't', summary: 's', payload: {}, ...over });
    expect([reply.status, errorOf(reply).code]).toEqual([400, 'VALIDATION_ERROR']);
  });
});

test('a page of long requests is answered with their beginnings, and the one record has it whole', async () => {
  const other = await keyClient(service, service.database.tenants.staging);
  const action = await createAction(other, { url: `${target.baseUrl}/ok`, body: '{{input.text}}' }, MONEY);
  const rule = { id: 'ask', match: { actions: [action] }, effect: 'require_approval' };
  await putPolicy(other, { schema: 'approval-policy/v1', name: randomUUID(), rules: [rule] });
  const text = 'x'.repeat(1_000_000);
  for (let count = 0; count < 17; count++) {
    expect((await invoke(other, action, { input: { amount: 700, text } })).status).toBe(202);
  }
  for (const list of ['approvals', 'actions/effects']) {
    const page = await other.get(`/api/v2/${list}?limit=17`);
    expect([page.status, page.text.length < 400_000, page.text.includes('"truncated":true')]).toEqual([
      200,
      true,
      true,
    ]);
    const [first] = (page.json as { data: { id: string }[] }).data;
    const whole = await other.get(`/api/v2/${list}/${first?.id}`);
    expect([whole.status, whole.text.includes(text)]).toEqual([200, true]);
  }
});
