import { beforeEach, expect, test } from 'vitest';
import { verdictSchema } from '../../../api/approval-policies/verdict-schema.ts';
import { HOSTILE_OVER_INPUT } from '../../../bench/policy/hostile.ts';
import { startTestApi } from '../harness/test-api.ts';
import { dataOf, errorOf } from '../invocations/support.ts';
import { createRefundAction, POLICIES, policyClient, policyDocument, type PolicyClient } from './support.ts';

/** One tenant keeps the process as busy as policies can. Another tenant's HTTP requests are still answered meanwhile. */

let busy: PolicyClient;
let other: PolicyClient;

const api = await startTestApi();
beforeEach(async () => {
  busy = await policyClient(api, (await api.database.anotherWorkspace()).development);
  other = await policyClient(api, (await api.database.anotherWorkspace()).development);
});

test('expressions built to explode are cut off, one evaluation in each round of the event loop', async () => {
  await createRefundAction(busy);
  await createRefundAction(other);
  for (const [index, { text }] of HOSTILE_OVER_INPUT.slice(0, 20).entries()) {
    await busy.post(POLICIES, { document: policyDocument({ match: {}, when: text }, { name: `hostile ${index}` }) });
  }
  await other.post(POLICIES, { document: policyDocument({ id: 'ask', match: {}, effect: 'require_approval' }) });
  const numbers = Array.from({ length: 2_000 }, (_, index) => index);
  const ask = { action: 'refund.create', input: { amount: 1 } };
  const hostile = { ...ask, input: { amount: 1, numbers, texts: numbers.map(String), long: 'a'.repeat(90_000) } };
  const asked = 40;
  let answered = 0;
  const evaluations = Array.from({ length: asked }, async () => {
    const reply = await busy.post(`${POLICIES}/evaluate`, hostile);
    answered++;
    return dataOf(reply, verdictSchema);
  });
  await Promise.race(evaluations);
  const verdict = dataOf(await other.post(`${POLICIES}/evaluate`, ask), verdictSchema);
  const answeredMeanwhile = answered;
  expect(verdict).toMatchObject({ effect: 'require_approval', ruleId: 'ask' });
  expect(answeredMeanwhile).toBeLessThan(asked);
  for (const each of await Promise.all(evaluations)) {
    expect(each).toMatchObject({ effect: 'deny', refusal: { code: 'policy_evaluation_error' } });
    expect(each.trace.at(-1)?.detail).toBe('the policies are too much work for this request');
  }
});

test('each condition of a document that is written is compiled in its own turn', async () => {
  const condition = (of: number): string =>
    `${Array.from({ length: 100 }, (_, part) => `input.a == ${part}`).join(' || ')} || input.b == ${of}`;
  const files = [0, 1, 2].map((file) => {
    const rules = Array.from({ length: 18 }, (_, n) => ({
      id: `r${n}`,
      match: {},
      when: condition(file * 18 + n),
      effect: 'deny',
    }));
    return { path: `${file}.yaml`, content: JSON.stringify(policyDocument({}, { rules })) };
  });
  const progress = { isPlanned: false };
  const planned = busy.post(`${POLICIES}/files/plan`, { files }).finally(() => (progress.isPlanned = true));
  let answered = 0;
  while (!progress.isPlanned) {
    expect((await other.get('/api/v2/auth/identity')).status).toBe(200);
    answered++;
  }
  expect((await planned).status).toBe(200);
  expect(answered).toBeGreaterThan(8);
});

test('conditions of more characters than an environment may hold are refused before the rest is read', async () => {
  const rules = Array.from({ length: 16 }, (_, n) => ({
    id: `r${n}`,
    match: {},
    when: `input.a == "${'x'.repeat(1_900)}"`,
    effect: 'deny',
  }));
  const file = (n: number): { path: string; content: string } => ({
    path: `${n}.json`,
    content: JSON.stringify(policyDocument({}, { name: `large ${n}`, rules })),
  });
  const files = [0, 1, 2, 3].map(file);
  const refused = await busy.post(`${POLICIES}/files/plan`, { files });
  expect([refused.status, errorOf(refused).details]).toEqual([
    400,
    { issues: [{ path: 'body.files', message: 'hold more than 100000 characters of conditions together' }] },
  ]);
  for (const { content } of files.slice(0, 3))
    expect((await busy.post(POLICIES, { document: content })).status).toBe(201);
  const full = await busy.post(POLICIES, { document: files[3]?.content });
  expect([full.status, errorOf(full).message]).toEqual([
    409,
    expect.stringContaining('100000 characters of conditions'),
  ]);
  expect(await busy.revision()).toBe(3);
});
