import { expect, test } from 'vitest';
import { addDecision } from '../../../db/approvals/decisions.ts';
import { getApproval } from '../../../db/approvals/queries.ts';
import { releaseInvocation } from '../../../db/invocations/changes.ts';
import { ACCEPTED, ActivityWorld, adapterThat } from '../invocations/world.ts';
import { newSecret, rotate, tamper } from './support.ts';
import { keyPrincipal } from '../../harness/keys.ts';

/** After the mark, before a worker has started the dispatch, the approved content is compared once more. */
const world = await ActivityWorld.start();

async function marked() {
  const adapter = adapterThat(() => Promise.resolve(ACCEPTED));
  const activities = world.activities({ adapterFor: adapter.adapterFor });
  const secret = await newSecret(world);
  const ref = await world.admit({
    config: { headers: { authorization: `Bearer {{secret:${secret}}}` }, body: { amount: '{{input.amount}}' } },
    definition: { approval: { required: true, tag: null } },
    input: { amount: 5 },
  });
  const evaluation = await activities.judgeInvocation(ref);
  if (evaluation.next !== 'ask_for_approval') throw new Error(`expected a wait, got ${evaluation.next}`);
  await world.transaction(async (tx) => {
    const approval = await getApproval(tx, evaluation.approvalId);
    if (!approval) throw new Error('it was opened');
    const principal = keyPrincipal('key_alice');
    const { id: approvalId, bindingDigest } = approval;
    await addDecision(tx, { approvalId, decision: 'approve', note: null, bindingDigest, principal, session: null });
    await releaseInvocation(tx, ref.invocationId);
  });
  expect(await activities.judgeInvocation(ref)).toMatchObject({ next: 'send' });
  return { ref, secret, adapter, activities };
}

test('unchanged, it is sent', async () => {
  const { ref, adapter, activities } = await marked();
  await activities.dispatchEffect({ ...ref, settles: true });
  expect(adapter.sent).toHaveLength(1);
});

test.each<[string, string, (of: Awaited<ReturnType<typeof marked>>) => Promise<unknown>]>([
  ['a secret that was replaced', 'precondition_changed', ({ secret }) => rotate(world, secret)],
  [
    'an input that was changed',
    'digest_mismatch',
    ({ ref }) => tamper(world, `UPDATE invocations SET input = '{"amount":6}' WHERE id = '${ref.invocationId}'`),
  ],
])('%s between the mark and the dispatch: refused (%s), and nothing is sent', async (_, code, change) => {
  const of = await marked();
  await change(of);
  await of.activities.dispatchEffect({ ...of.ref, settles: true });
  expect(of.adapter.sent).toEqual([]);
  expect(await world.recorded(of.ref)).toMatchObject({
    invocation: { status: 'refused', error: expect.stringContaining(code) },
    effects: [{ stage: 'rejected', rejection_reason: code, grade: 'refused' }],
  });
});
