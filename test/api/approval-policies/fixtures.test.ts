import { beforeEach, expect, test } from 'vitest';
import type { z } from 'zod';
import { type Fixture, testedSchema } from '../../../api/approval-policies/fixture-schemas.ts';
import { runFixtures } from '../../../api/approval-policies/run-fixtures.ts';
import type { EvaluationContext } from '../../../db/approval-policies/evaluation.ts';
import { compilePolicySet } from '../../../domain/approval-policies/evaluate-policies.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { startTestApi } from '../harness/test-api.ts';
import { dataOf } from '../invocations/support.ts';
import { createRefundAction, POLICIES, policyClient, policyDocument, REFUNDS, type PolicyClient } from './support.ts';
import { checkEachReply } from '../harness/reply-schemas.ts';

/** Policy files against fixture requests: each verdict with its rule and the values that the rule used. */

let client: PolicyClient;

const api = await startTestApi();
beforeEach(async () => {
  client = await policyClient(api, (await api.database.anotherWorkspace()).development);
});
checkEachReply(api);

type Tested = z.infer<typeof testedSchema>;
type Result = Tested['results'][number];

async function run(fixtures: JsonObject[], files: string[] = [REFUNDS]): Promise<Tested> {
  const body = { files: files.map((content, n) => ({ path: `${n}.yaml`, content })), fixtures };
  return dataOf(await client.post(`${POLICIES}/files/test`, body), testedSchema);
}
const DESCRIBED = { name: 'refund.create' };
const fixture = (name: string, request: JsonObject, expected: JsonObject): JsonObject => ({
  name,
  request: { action: DESCRIBED, ...request },
  expect: expected,
});
async function only(request: JsonObject, expected: JsonObject, files?: string[]): Promise<Result> {
  const { results } = await run([fixture('one', request, expected)], files);
  const [result] = results;
  if (result === undefined) throw new Error('one fixture gave no result');
  return result;
}

test('each verdict names its rule and the values that it saw', async () => {
  const tested = await run([
    fixture(
      'large',
      { input: { amount: 60_000 } },
      { effect: 'require_approval', policy: 'refunds', ruleId: 'large', quorum: 2 },
    ),
    fixture('nothing', { input: { amount: 0 } }, { effect: 'deny', ruleId: 'nothing' }),
    fixture('small', { input: { amount: 10 } }, { effect: 'allow', ruleId: null }),
  ]);
  expect(tested).toMatchObject({ passed: true, passedCount: 3, failedCount: 0 });
  const [large, nothing, small] = tested.results;
  expect(large?.actual?.reason).toBe('Rule large of policy refunds requires 2 approvals: input.amount is 60000.');
  expect(large?.trace).toEqual([
    expect.objectContaining({ ruleId: 'nothing', outcome: 'condition_false', values: { 'input.amount': '60000' } }),
    expect.objectContaining({
      ruleId: 'large',
      outcome: 'matched',
      values: { 'input.amount': '60000' },
      policyId: null,
      version: null,
    }),
  ]);
  expect(nothing?.trace[0]).toMatchObject({ outcome: 'matched', values: { 'input.amount': '0' } });
  expect(small?.actual).toMatchObject({ effect: 'allow', source: 'environment', policy: null, ruleId: null });
});

test('a fixture fails on each thing that it expects, and says what was found', async () => {
  const { passed, problems, actual } = await only(
    { input: { amount: 60_000 } },
    { effect: 'deny', policy: 'payouts', ruleId: null, quorum: 3 },
  );
  expect(passed).toBe(false);
  expect(actual?.effect).toBe('require_approval');
  expect(problems).toEqual([
    'effect is require_approval, and deny was expected',
    'policy is refunds, and payouts was expected',
    'ruleId is large, and none was expected',
    'quorum is 2, and 3 was expected',
  ]);
});

test('the policies of the environment take no part, and nothing is stored', async () => {
  await client.post(POLICIES, { document: policyDocument({ match: {}, effect: 'deny' }) });
  const rows = await client.rows();
  expect((await only({ input: { amount: 10 } }, { effect: 'allow' })).passed).toBe(true);
  expect(await client.rows()).toEqual(rows);
  expect(
    await api.database.asOwner('SELECT id FROM policy_plans WHERE environment_id = $1', [client.tenant.environmentId]),
  ).toEqual([]);
});

test('a named action is the environment’s own: its impact, its tag; one that is not there fails the fixture', async () => {
  await createRefundAction(client, { approval: { tag: 'payments' } });
  const byImpact = JSON.stringify(
    policyDocument({
      id: 'money',
      match: { tags: ['payments'] },
      when: 'impact.exists(i, i.dimension == "money" && i.amount > 5)',
      effect: 'deny',
    }),
  );
  const named = { action: 'refund.create' };
  expect(
    (await only({ ...named, input: { amount: 6 } }, { effect: 'deny', ruleId: 'money' }, [byImpact])).problems,
  ).toEqual([]);
  expect((await only({ ...named, input: { amount: 5 } }, { effect: 'allow' }, [byImpact])).problems).toEqual([]);
  const missing = await only({ action: 'no.such', input: {} }, { effect: 'allow' });
  expect(missing).toMatchObject({ passed: false, actual: null });
  expect(missing.problems[0]).toContain('no live action of this environment is called no.such');
  const unfit = await only({ ...named, input: { amount: 'much' } }, { effect: 'deny' });
  expect(unfit.problems[0]).toMatch(
    /^not evaluated: an invocation with this input would be refused: .*body.input.amount/,
  );
});

test('a fixture describes what the policies see: action, environment, caller, run, impact, time', async () => {
  const sees = (when: string): string[] => [JSON.stringify(policyDocument({ match: {}, when, effect: 'deny' }))];
  const request = {
    action: { name: 'email.send', adapter: 'resend.email', governed: true, tag: 'mail' },
    input: { to: ['a@example.com'] },
    impact: [{ dimension: 'emails', amount: 3, bound: 'exact' }],
    agentId: 'agent-1',
    keyId: 'key_ci',
    keyName: 'ci',
    runId: 'run_1',
    environment: { kind: 'production', name: 'Live' },
    now: '2026-01-01T03:00:00Z',
  };
  const conditions = [
    'action.name == "email.send" && action.governed && action.tag == "mail"',
    'adapter.type == "resend.email"',
    'environment.kind == "production" && environment.name == "Live"',
    'caller.agentId == "agent-1" && caller.id == "key_ci" && caller.name == "ci"',
    'run.id == "run_1"',
    'impact[0].amount == 3',
    'now.getHours() == 3',
    'size(input.to) == 1',
  ];
  for (const when of conditions) {
    const result = await only(request, { effect: 'deny' }, sees(when));
    expect(result.problems, `${when}: ${JSON.stringify(result)}`).toEqual([]);
  }
  const approved = await only(
    { ...request, action: { ...request.action, approvalRequired: true } },
    { effect: 'require_approval' },
  );
  expect(approved.actual?.source).toBe('action');
  const byEnvironment = { ...request, environment: { kind: 'production', approvalDefault: 'allow' } };
  expect((await only(byEnvironment, { effect: 'allow' })).passed).toBe(true);
});

test('fixtures that take too long together end with those before, and the rest fails', async () => {
  const given: Fixture = { name: 'one', request: { action: DESCRIBED, input: {} }, expect: { effect: 'allow' } };
  const context: EvaluationContext = {
    environment: { id: client.tenant.environmentId, name: 'Development', kind: 'development', approvalDefault: null },
    keyName: null,
  };
  const impactOf = (): Promise<never> => Promise.reject(new Error('no action is named'));
  const world = { set: compilePolicySet([]), context, actions: new Map(), impactOf };
  const results = await runFixtures(world, [given, given, given], Number.MIN_VALUE);
  expect(results.map(({ passed }) => passed)).toEqual([true, false, false]);
  expect(results[2]?.problems[0]).toMatch(/^not evaluated: the fixtures before it took all the time/);
  expect((await runFixtures(world, [given, given, given])).map(({ passed }) => passed)).toEqual([true, true, true]);
});

test('five hundred fixtures over two hundred rules answer within the caps, with the deciding rule in each trace', async () => {
  const rules = Array.from({ length: 199 }, (_, n) => ({
    id: `r${n}`,
    match: { actions: ['other.*'] },
    effect: 'deny',
  }));
  const last = { id: 'last', match: { actions: ['refund.*'] }, when: 'input.amount > 5', effect: 'deny' };
  const content = JSON.stringify(policyDocument({}, { rules: [...rules, last] }));
  const fixtures = Array.from({ length: 500 }, (_, n) =>
    fixture(`f${n}`, { input: { amount: 10 } }, { effect: 'deny', ruleId: 'last' }),
  );
  const tested = await run(fixtures, [content]);
  expect(tested.passedCount).toBe(500);
  for (const { trace, traceOmitted } of tested.results) {
    expect(trace[0]).toMatchObject({ ruleId: 'last', outcome: 'matched' });
    expect(trace.length + traceOmitted).toBe(200);
    expect(trace.length).toBeLessThanOrEqual(20);
  }
});
