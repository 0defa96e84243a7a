import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../domain/json.ts';
import { startTestService } from '../../harness/service.ts';
import { startTarget } from '../../harness/target.ts';
import { effectOf, errorOf, invocationIn, invoke } from '../invocations/support.ts';
import { preview } from '../previews/support.ts';
import {
  type Approval,
  approvalIn,
  approvalsIn,
  approve,
  deny,
  keyClient,
  largeRefunds,
  putPolicy,
  readApproval,
  untilStatus,
} from './support.ts';

/** The service's central guarantee: a person approves the exact request, and nothing else is ever sent. */
const VALUE = 'pk_live_12345678';

const [service, target] = await Promise.all([startTestService(), startTarget()]);
const { production } = service.database.tenants;
const [agent, alice, bob] = await Promise.all([
  keyClient(service, production),
  keyClient(service, production),
  keyClient(service, production),
]);
await agent.call('PUT', '/api/v2/secrets/pay_key', { value: VALUE });
const policy = await putPolicy(agent, largeRefunds());

async function refundAction(path = '/echo', overrides: JsonObject = {}, secret = 'pay_key'): Promise<string> {
  const name = `refund.${randomUUID().slice(0, 8)}`;
  const reply = await agent.post('/api/v2/actions', {
    name,
    adapter: {
      type: 'http.request',
      config: {
        method: 'POST',
        url: `${target.baseUrl}${path}?for={{invocation.id}}`,
        headers: { authorization: `Bearer {{secret:${secret}}}` },
        body: { payment: '{{input.payment}}', amount: '{{input.amount}}' },
        idempotencyHeader: 'idempotency-key',
      },
    },
    impact: [{ dimension: 'money', currency: 'usd', amount: { path: 'input.amount' }, bound: 'exact' }],
    ...overrides,
  });
  if (reply.status !== 201) throw new Error(reply.text);
  return name;
}

const LARGE = { input: { payment: 'pay_1', amount: 60_000 }, agentId: 'support-bot' };

async function park(action: string): Promise<{ id: string; approval: Approval }> {
  const { status, invocation } = await invoke(agent, action, LARGE);
  expect([status, invocation.status, invocation.grade]).toEqual([202, 'pending_approval', 'pending']);
  return { id: invocation.id, approval: await readApproval(agent, invocation.approvalId) };
}

test('over 500 USD two people approve, the target gets what was previewed, and the receipt names both', async () => {
  const action = await refundAction();
  const { id, approval } = await park(action);
  expect(approval).toMatchObject({
    kind: 'invocation',
    status: 'pending',
    invocationId: id,
    action: { name: action },
    policy: { source: 'policy', id: policy.id, version: 1, ruleId: 'over-500-usd' },
    quorum: { required: 2, received: 0 },
    preventSelf: true,
    requestedBy: { type: 'api_key', id: agent.keyId },
    agentId: 'support-bot',
  });
  expect(approval.summary).toMatch(
    new RegExp(
      `^Agent support-bot \\(key test\\) asks to run ${action} in .+: POST http://.+, moving 600\\.00 USD\\.$`,
    ),
  );
  expect(approval.preview?.request.headers['authorization']).toBe('Bearer {{secret:pay_key}}');
  expect(approval.preview?.impact).toEqual([{ dimension: 'money', currency: 'usd', amount: 60_000, bound: 'exact' }]);
  const inbox = approvalsIn(await alice.get(`/api/v2/approvals?status=pending&invocationId=${id}`));
  expect(inbox).toEqual([approval]);

  const waiting = readApproval(alice, approval.id, 60);
  const first = approvalIn(await approve(alice, approval));
  expect(first).toMatchObject({ status: 'pending', quorum: { required: 2, received: 1 } });
  expect(await target.requests('/echo')).toEqual([]);
  expect(approvalIn(await approve(bob, approval)).status).toBe('approved');
  expect((await waiting).status).not.toBe('pending');
  const invocation = await untilStatus(agent, id, ['succeeded']);

  const [sent, ...others] = await target.requests('/echo');
  expect(others).toEqual([]);
  const shown = approval.preview?.request;
  expect(sent?.method).toBe(shown?.method);
  expect(`${target.baseUrl}${sent?.url}`).toBe(shown?.url);
  expect(sent?.body).toBe(shown?.body);
  for (const [name, value] of Object.entries(shown?.headers ?? {})) {
    expect(sent?.headers[name.toLowerCase()], name).toBe(value.replace('{{secret:pay_key}}', VALUE));
  }

  const effect = await effectOf(agent, invocation);
  expect(effect).toMatchObject({
    approvalId: approval.id,
    previewId: approval.previewId,
    bindingDigest: approval.bindingDigest,
    grade: 'acknowledged',
  });
  const receipt = effect.evidence.find(({ details }) => details['approvalId'] === approval.id);
  expect(receipt).toMatchObject({
    source: 'system',
    details: {
      bindingDigest: approval.bindingDigest,
      policy: { id: policy.id, version: 1, ruleId: 'over-500-usd' },
      quorum: { required: 2, received: 2 },
      approvers: [
        { type: 'api_key', id: alice.keyId },
        { type: 'api_key', id: bob.keyId },
      ],
    },
  });
  const consumed = await readApproval(agent, approval.id);
  expect(consumed).toMatchObject({ status: 'consumed', quorum: { received: 2 } });
  expect(consumed.decisions.map(({ actor, authentication }) => [actor.id, authentication.method])).toEqual([
    [alice.keyId, 'api_key'],
    [bob.keyId, 'api_key'],
  ]);
});

test('a preview that its caller named is what is approved; a small refund needs nobody', async () => {
  const action = await refundAction('/ok');
  const made = await preview(agent, action, { input: LARGE.input, agentId: 'support-bot' });
  const { status, invocation } = await invoke(agent, action, { ...LARGE, previewId: made.id });
  expect(status).toBe(202);
  const approval = await readApproval(agent, invocation.approvalId);
  expect(approval).toMatchObject({ previewId: made.id, bindingDigest: made.bindingDigest, expiresAt: made.expiresAt });
  await approve(alice, approval);
  await approve(bob, approval);
  const done = await untilStatus(agent, invocation.id, ['succeeded']);
  expect((await effectOf(agent, done)).id).toBe(made.request.headers['idempotency-key']);
  const small = await invoke(agent, action, { input: { payment: 'pay_1', amount: 50_000 } });
  expect([small.status, small.invocation.status, small.invocation.approvalId]).toEqual([200, 'succeeded', null]);
});

test('a preview that no longer holds is refused at once: nobody is asked about it', async () => {
  await agent.call('PUT', '/api/v2/secrets/stale_key', { value: VALUE });
  const action = await refundAction('/stale', {}, 'stale_key');
  const made = await preview(agent, action, { input: LARGE.input, agentId: 'support-bot' });
  await agent.call('PUT', '/api/v2/secrets/stale_key', { value: 'another' });
  const { status, invocation } = await invoke(agent, action, { ...LARGE, previewId: made.id });
  expect([status, invocation.status, invocation.approvalId]).toEqual([200, 'refused', null]);
  expect(invocation.error).toContain('precondition_changed');
  expect(approvalsIn(await alice.get(`/api/v2/approvals?invocationId=${invocation.id}`))).toEqual([]);
});

test('one denial ends it, and is final', async () => {
  const { id, approval } = await park(await refundAction('/denied'));
  await approve(alice, approval);
  expect(approvalIn(await deny(bob, approval, 'Ask finance first.'))).toMatchObject({ status: 'denied' });
  const invocation = invocationIn(await agent.get(`/api/v2/actions/invocations/${id}`));
  expect(invocation).toMatchObject({ status: 'denied', grade: 'denied' });
  expect(invocation.error).toContain('Ask finance first.');
  expect(await effectOf(agent, invocation)).toMatchObject({
    stage: 'rejected',
    grade: 'denied',
    rejectionReason: 'approval_denied',
    evidence: [
      { source: 'preview' },
      {
        source: 'system',
        impliedOutcome: 'not_dispatched',
        summary: `approval ${approval.id} was denied by key ${bob.keyId}`,
        details: {
          approvalId: approval.id,
          policy: { id: policy.id, version: 1, ruleId: 'over-500-usd' },
          approvers: [{ id: alice.keyId }],
          deniedBy: { type: 'api_key', id: bob.keyId },
        },
      },
    ],
  });
  const carol = await keyClient(service, service.database.tenants.production);
  expect([(await approve(carol, approval)).status, (await approve(alice, approval)).status]).toEqual([409, 409]);
  expect(await target.requests('/denied')).toEqual([]);
});

test('a digest that differs, the requester, and a second decision of one principal do not count', async () => {
  const { approval } = await park(await refundAction('/not-counted'));
  const other = { ...approval, bindingDigest: approval.bindingDigest.replace(/.$/, (c) => (c === '0' ? '1' : '0')) };
  for (const bindingDigest of [other.bindingDigest, '', 'sha256:short']) {
    expect((await approve(alice, { ...approval, bindingDigest })).status).toBe(409);
  }
  const self = await approve(agent, approval);
  expect([self.status, errorOf(self).message]).toEqual([403, expect.stringContaining('requested')]);
  expect((await approve(alice, approval)).status).toBe(200);
  const twice = await approve(alice, approval);
  expect([twice.status, errorOf(twice).message]).toEqual([409, expect.stringContaining('already')]);
  expect((await readApproval(agent, approval.id)).quorum.received).toBe(1);
  const scopes = ['approvals:read', 'approvals:write'] as const;
  const reader = await keyClient(service, service.database.tenants.production, { name: 'r', scopes: [...scopes] });
  expect((await approve(reader, approval)).status).toBe(403);
});

test('stricter policies at the moment of use invalidate what was agreed to', async () => {
  const action = await refundAction('/stricter');
  const { id, approval } = await park(action);
  const carol = await keyClient(service, service.database.tenants.production);
  await approve(alice, approval);
  const stricter = await putPolicy(agent, largeRefunds({ approval: { quorum: 3 } }, action));
  await approve(bob, approval);
  const invocation = await untilStatus(agent, id, ['refused', 'succeeded']);
  expect(invocation).toMatchObject({ status: 'refused', error: expect.stringContaining('approval_invalidated') });
  expect(await readApproval(agent, approval.id)).toMatchObject({ status: 'invalidated' });
  expect((await approve(carol, approval)).status).toBe(409);
  expect(await target.requests('/stricter')).toEqual([]);
  expect((await agent.call('DELETE', `/api/v2/approval-policies/${stricter.id}`)).status).toBeLessThan(300);
});

test('the same key again is answered with the same bytes, and a plain action may need an approval too', async () => {
  const action = await refundAction('/empty', { impact: [], governed: false, approval: { required: true } });
  await putPolicy(agent, {
    schema: 'approval-policy/v1',
    name: randomUUID(),
    rules: [{ id: 'plain', match: { actions: [action] }, effect: 'require_approval' }],
  });
  const headers = { 'Idempotency-Key': randomUUID() };
  const first = await invoke(agent, action, LARGE, headers);
  const again = await invoke(agent, action, LARGE, headers);
  expect([first.status, again.text]).toEqual([202, first.text]);
  expect([first.invocation.status, first.invocation.effectId]).toEqual(['pending_approval', null]);
  const approval = await readApproval(agent, first.invocation.approvalId);
  expect(approval).toMatchObject({ effectId: null, policy: { ruleId: 'plain' } });
  expect((await approve(bob, approval)).status).toBe(200);
  await untilStatus(agent, first.invocation.id, ['succeeded']);
  const [sent, ...others] = await target.requests('/empty');
  expect(others).toEqual([]);
  expect(sent?.body).toBe(approval.preview?.request.body);
});
