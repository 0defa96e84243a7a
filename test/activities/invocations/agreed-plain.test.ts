import { afterAll, beforeAll, expect, test } from 'vitest';
import { addDecision } from '../../../db/approvals/add-decision.ts';
import { lockApproval } from '../../../db/approvals/lock-approval.ts';
import { releaseInvocation } from '../../../db/invocations/release-invocation.ts';
import { ACCEPTED, ActivityWorld, adapterThat, ANOTHER_VERSION } from './world.ts';
import { keyPrincipal } from '../../harness/keys.ts';

/** An approved plain invocation has no effect record. It has a preview, which its dispatch must match. */

let world: ActivityWorld;
beforeAll(async () => {
  world = await ActivityWorld.start();
});
afterAll(async () => world.close());

/** As `api/approvals` does it. */
async function agreeTo(invocationId: string): Promise<void> {
  const [approval] = await world.database.asOwner<{ id: string; digest: string }>(
    'SELECT id, binding_digest AS digest FROM approvals WHERE invocation_id = $1',
    [invocationId],
  );
  if (!approval) throw new Error(`invocation ${invocationId} waits for no approval`);
  const { id: approvalId, digest: bindingDigest } = approval;
  const principal = keyPrincipal('key_alice');
  await world.transaction(async (tx) => {
    await lockApproval(tx, approvalId);
    await addDecision(tx, { approvalId, decision: 'approve', note: null, bindingDigest, principal, sessionId: null });
    await releaseInvocation(tx, invocationId);
  });
}

test.each([
  ['the request that was agreed to: sent', {}, 1, 'succeeded'],
  ['another one, by a worker of another version: refused', { descriptor: ANOTHER_VERSION }, 0, 'refused'],
] as const)('%s', async (_what, double, calls, status) => {
  const ref = await world.admit({ definition: { governed: false, approval: { required: true, tag: null } } });
  const { evaluateAndReserve, reserveAndMarkDispatch, settleInvocation } = world.activities();
  await evaluateAndReserve(ref);
  await agreeTo(ref.invocationId);
  expect(await reserveAndMarkDispatch(ref)).toEqual({ decision: 'dispatch' });
  const { adapterFor, sent } = adapterThat(() => Promise.resolve(ACCEPTED));
  await world.activities({ adapterFor: () => ({ ...adapterFor(), ...double }) }).dispatchEffect(ref);
  expect(sent).toHaveLength(calls);
  expect(await settleInvocation(ref)).toMatchObject({ status });
  const { invocation } = await world.recorded(ref);
  expect(invocation?.error ?? '').toContain(calls === 0 ? 'digest_mismatch' : '');
});
