import { expect, test } from 'vitest';
import { createPolicy } from '../../../db/approval-policies/changes.ts';
import { parsePolicyDocument } from '../../../domain/approval-policies/document.ts';
import { documentDigestOf } from '../../../domain/approval-policies/files.ts';
import { ACCEPTED, ActivityWorld, adapterThat } from './world.ts';

/** In the worker too an expression that explodes over an input ends in a refusal: nothing is allowed and nothing is sent. */

const world = await ActivityWorld.start();

test('an invocation over whose input a condition explodes is refused, also where many come before it is compiled', async () => {
  const when = 'input.numbers.all(a, input.numbers.all(b, a + b >= 0)) || true';
  const rules = [{ id: 'boom', match: {}, when, effect: 'allow' }];
  const parsed = parsePolicyDocument({ schema: 'approval-policy/v1', name: 'hostile', rules });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  const { document } = parsed;
  const createdBy = { type: 'api_key', id: 'key_test' };
  await world.transaction((tx) => createPolicy(tx, { document, digest: documentDigestOf(document), createdBy }));
  const { adapterFor, sent } = adapterThat(() => Promise.resolve(ACCEPTED));
  const activities = world.activities({ adapterFor });
  const numbers = Array.from({ length: 2_000 }, (_, index) => index);
  const hostile = await Promise.all(Array.from({ length: 12 }, () => world.admit({ input: { numbers } })));
  const harmless = await world.admit({ input: { numbers: [1, 2, 3] } });
  const decided = await Promise.all([...hostile, harmless].map((each) => activities.judgeInvocation(each)));
  expect(decided.map(({ next }) => next)).toEqual([...hostile.map(() => 'ended'), 'send']);
  for (const each of hostile) {
    const { invocation, effects, attempts } = await world.recorded(each);
    expect([invocation?.status, effects[0]?.rejection_reason]).toEqual(['refused', 'policy_evaluation_error']);
    expect(invocation?.error).toContain('too much work for this input');
    expect(attempts).toEqual([]);
  }
  expect(sent).toEqual([]);
});
