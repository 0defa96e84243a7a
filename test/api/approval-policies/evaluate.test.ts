import { beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { policySchema } from '../../../api/approval-policies/schemas.ts';
import { verdictSchema } from '../../../api/approval-policies/verdict-schema.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { startTestApi } from '../harness/test-api.ts';
import { dataOf, errorOf } from '../invocations/support.ts';
import { createRefundAction, POLICIES, policyClient, policyDocument, REFUNDS, type PolicyClient } from './support.ts';
import { checkEachReply } from '../harness/reply-schemas.ts';

/** The policies' decision on a hypothetical request, over HTTP. */

let client: PolicyClient;

const api = await startTestApi();
beforeEach(async () => {
  client = await policyClient(api, (await api.database.anotherWorkspace()).development);
  await createRefundAction(client);
});
checkEachReply(api);

async function evaluate(
  body: JsonObject,
  by: Pick<PolicyClient, 'post'> = client,
): Promise<z.infer<typeof verdictSchema>> {
  return dataOf(await by.post(`${POLICIES}/evaluate`, { action: 'refund.create', ...body }), verdictSchema);
}
const create = async (document: unknown): Promise<z.infer<typeof policySchema>> =>
  dataOf(await client.post(POLICIES, { document }), z.object(policySchema.shape));

test('200: names the rule, its version, its terms, and what its condition saw', async () => {
  const policy = await create(REFUNDS);
  const verdict = await evaluate({ input: { amount: 60_000 } });
  expect(verdict).toMatchObject({
    effect: 'require_approval',
    source: 'policy',
    policyId: policy.id,
    version: 1,
    ruleId: 'large',
    quorum: 2,
    approvers: [{ roles: ['admin'] }],
    preventSelf: true,
    expiresInSeconds: 7_200,
    refusal: null,
    revision: 1,
  });
  expect(verdict.reason).toContain('input.amount is 60000');
  expect(verdict.trace.map(({ ruleId, outcome }) => [ruleId, outcome])).toEqual([
    ['nothing', 'condition_false'],
    ['large', 'matched'],
  ]);
  expect(verdict.trace[1]?.values).toEqual({ 'input.amount': '60000' });
});

test('where several rules require an approval, the strictest of their terms count', async () => {
  await create(REFUNDS);
  const approval = { quorum: 3, approvers: { users: ['cfo@example.com'] }, preventSelf: false, expiresIn: 'PT1H' };
  await create(policyDocument({ match: {}, effect: 'require_approval', approval }, { name: 'finance' }));
  expect(await evaluate({ input: { amount: 60_000 } })).toMatchObject({
    ruleId: 'large',
    quorum: 3,
    approvers: [{ roles: ['admin'] }, { users: ['cfo@example.com'] }],
    preventSelf: true,
    expiresInSeconds: 3_600,
  });
});

test('executes nothing: no invocation, effect, approval or audit entry', async () => {
  await create(REFUNDS);
  const count = async (): Promise<unknown> =>
    api.database.asOwner(
      `SELECT (SELECT count(*) FROM invocations) AS i, (SELECT count(*) FROM effects) AS e, (SELECT count(*) FROM audit_log) AS a,
         (SELECT count(*) FROM approvals) AS p`,
    );
  const before = await count();
  await evaluate({ input: { amount: 60_000 } });
  expect(await count()).toEqual(before);
});

test('a change holds for the next evaluation, on this process and another', async () => {
  const other = await startTestApi({ database: api.database });
  try {
    const there = { post: (path: string, body: unknown) => other.call('POST', path, { key: client.key, body }) };
    const effects = async (): Promise<string[]> => [
      (await evaluate({ input: { amount: 60_000 } })).effect,
      (await evaluate({ input: { amount: 60_000 } }, there)).effect,
    ];
    expect(await effects()).toEqual(['allow', 'allow']);
    const { id } = await create(REFUNDS);
    expect(await effects()).toEqual(['require_approval', 'require_approval']);
    await client.patch(`${POLICIES}/${id}`, { document: REFUNDS.replace('50000', '70000') });
    expect(await effects()).toEqual(['allow', 'allow']);
    await client.patch(`${POLICIES}/${id}`, { document: REFUNDS });
    expect(await effects()).toEqual(['require_approval', 'require_approval']);
    await client.patch(`${POLICIES}/${id}`, { enabled: false });
    expect(await effects()).toEqual(['allow', 'allow']);
    await client.patch(`${POLICIES}/${id}`, { enabled: true });
    await client.remove(`${POLICIES}/${id}`);
    expect(await effects()).toEqual(['allow', 'allow']);
  } finally {
    await other.close();
  }
});

test('another environment’s policies decide nothing here', async () => {
  const { tenants } = api.database;
  const elsewhere = await policyClient(api, tenants.staging);
  await elsewhere.post(POLICIES, { document: policyDocument({ match: {}, effect: 'deny' }) });
  expect(await evaluate({ input: { amount: 1 } })).toMatchObject({ effect: 'allow', revision: 0, trace: [] });
});

test('deny carries the refusal; an expression that fails denies with policy_evaluation_error', async () => {
  await create(REFUNDS);
  expect(await evaluate({ input: { amount: 0 } })).toMatchObject({
    effect: 'deny',
    ruleId: 'nothing',
    quorum: null,
    refusal: { code: 'policy_denied' },
  });
  await create(policyDocument({ match: {}, when: 'input.note.size() > 3' }, { name: 'notes' }));
  const failed = await evaluate({ input: { amount: 5 } });
  expect(failed).toMatchObject({ effect: 'deny', refusal: { code: 'policy_evaluation_error' } });
  expect(failed.trace.at(-1)?.outcome).toBe('error');
});

test('keyId and agentId stand for who would ask; left out, it is whoever asks', async () => {
  const { record } = await api.createKey(client.tenant, { name: 'payroll-bot', scopes: [] });
  await create(policyDocument({ match: { keys: ['payroll-*'] }, effect: 'deny' }, { name: 'payroll' }));
  await create(policyDocument({ match: { agents: ['intern*'] }, effect: 'require_approval' }, { name: 'interns' }));
  expect((await evaluate({ input: { amount: 1 } })).effect).toBe('allow');
  expect((await evaluate({ input: { amount: 1 }, keyId: record.id })).effect).toBe('deny');
  expect((await evaluate({ input: { amount: 1 }, agentId: 'intern-7' })).effect).toBe('require_approval');
  const stranger = await api.createKey(api.database.tenants.staging, { name: 'payroll-bot', scopes: [] });
  const reply = await client.post(`${POLICIES}/evaluate`, {
    action: 'refund.create',
    input: { amount: 1 },
    keyId: stranger.record.id,
  });
  expect(reply.status).toBe(400);
  expect(errorOf(reply).details?.['issues']).toEqual([
    { path: 'body.keyId', message: 'no key of this environment has this id' },
  ]);
});

test('what an adapter knows by itself is there too: each recipient of an e-mail; what only its provider knows is said', async () => {
  const made = await client.post('/api/v2/actions', {
    name: 'mail.send',
    adapter: { type: 'resend.email', config: { domain: 'example.com' } },
  });
  expect(made.status).toBe(201);
  await create(
    policyDocument({
      id: 'many',
      match: {},
      when: 'impact.exists(i, i.dimension == "emails" && i.amount > 2)',
      effect: 'deny',
    }),
  );
  const input = { from: 'us@example.com', to: ['a@example.org', 'b@example.org'], subject: 'Hi', text: 'Hello' };
  expect((await evaluate({ action: 'mail.send', input })).effect).toBe('allow');
  const copied = await evaluate({ action: 'mail.send', input: { ...input, bcc: 'c@example.org' } });
  expect([copied.effect, copied.ruleId]).toEqual(['deny', 'many']);
  await client.post('/api/v2/actions', {
    name: 'stripe.refund',
    adapter: { type: 'stripe.refund', config: { mode: 'test', secret: 'stripe_key' } },
  });
  const reply = await client.post(`${POLICIES}/evaluate`, {
    action: 'stripe.refund',
    input: { payment_intent: 'pi_1234567890', amount: 100 },
  });
  expect([reply.status, errorOf(reply).message]).toEqual([
    400,
    expect.stringContaining('A preview of the action reads'),
  ]);
});

describe('without a rule', () => {
  test('the action decides, then the environment, by its kind', async () => {
    expect(await evaluate({ input: { amount: 1 } })).toMatchObject({ effect: 'allow', source: 'environment' });
    await client.patch('/api/v2/actions/refund.create', { approval: { required: true } });
    expect(await evaluate({ input: { amount: 1 } })).toMatchObject({
      effect: 'require_approval',
      source: 'action',
      quorum: 1,
    });
    const production = await policyClient(api, (await api.database.anotherWorkspace()).production);
    await createRefundAction(production);
    expect(await evaluate({ input: { amount: 1 } }, production)).toMatchObject({
      effect: 'require_approval',
      source: 'environment',
    });
  });
});

test('400 and 404: what an invocation would not come past either', async () => {
  const ask = (body: JsonObject) => client.post(`${POLICIES}/evaluate`, { action: 'refund.create', ...body });
  const wrong = await ask({ input: { amount: 'much' } });
  expect([wrong.status, errorOf(wrong).details?.['issues']]).toEqual([
    400,
    [expect.objectContaining({ path: 'body.input.amount' })],
  ]);
  const unbounded = await ask({ input: { amount: -5 } });
  expect([unbounded.status, errorOf(unbounded).message]).toEqual([400, expect.stringContaining('impact_unbounded')]);
  expect((await ask({ action: 'no.such', input: {} })).status).toBe(404);
  await client.remove('/api/v2/actions/refund.create');
  expect((await ask({ input: { amount: 1 } })).status).toBe(404);
});
