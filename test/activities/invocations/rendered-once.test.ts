import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ActivityDependencies } from '../../../activities/dependencies.ts';
import { addDecision } from '../../../db/approvals/add-decision.ts';
import { lockApproval } from '../../../db/approvals/lock-approval.ts';
import { releaseInvocation } from '../../../db/invocations/release-invocation.ts';
import { keyPrincipal } from '../../harness/keys.ts';
import { realAdapters } from '../previews/support.ts';
import { ActivityWorld, ANOTHER_VERSION } from './world.ts';

/** Rendering a large request takes milliseconds of the event loop, under the invocation's lock. Each transaction does it once. */

let world: ActivityWorld;
beforeAll(async () => {
  world = await ActivityWorld.start();
});
afterAll(async () => world.close());

/** The real adapters, which count how often a request is rendered. */
function countingAdapters(): { adapterFor: ActivityDependencies['adapterFor']; takeCount: () => number } {
  const real = realAdapters();
  let count = 0;
  return {
    adapterFor: (chosen) => {
      const adapter = real(chosen);
      const descriptor: typeof adapter.descriptor = {
        ...adapter.descriptor,
        prepare: (input) => {
          count++;
          return adapter.descriptor.prepare(input);
        },
      };
      return { ...adapter, descriptor };
    },
    takeCount: () => {
      const counted = count;
      count = 0;
      return counted;
    },
  };
}

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

test.each([true, false])('governed %s: evaluated and reserved in one transaction', async (governed) => {
  const { adapterFor, takeCount } = countingAdapters();
  const ref = await world.admit({ definition: { governed } });
  const { evaluateAndReserve } = world.activities({ adapterFor });
  expect(await evaluateAndReserve(ref)).toMatchObject({ decision: 'proceed' });
  expect(takeCount()).toBe(1);
});

test.each([true, false])('governed %s: parked with a preview, and once more before it is sent', async (governed) => {
  const { adapterFor, takeCount } = countingAdapters();
  const ref = await world.admit({ definition: { governed, approval: { required: true, tag: null } } });
  const { evaluateAndReserve, reserveAndMarkDispatch } = world.activities({ adapterFor });
  expect(await evaluateAndReserve(ref)).toMatchObject({ decision: 'wait' });
  expect(takeCount()).toBe(1);
  await agreeTo(ref.invocationId);
  expect(await reserveAndMarkDispatch(ref)).toEqual({ decision: 'dispatch' });
  expect(takeCount()).toBe(1);
});

test.each([true, false])(
  'governed %s: what a later worker renders otherwise is refused all the same',
  async (governed) => {
    const ref = await world.admit({ definition: { governed, approval: { required: true, tag: null } } });
    await world.activities().evaluateAndReserve(ref);
    await agreeTo(ref.invocationId);
    const real = realAdapters();
    const { reserveAndMarkDispatch } = world.activities({
      adapterFor: (chosen) => ({ ...real(chosen), descriptor: ANOTHER_VERSION }),
    });
    expect(await reserveAndMarkDispatch(ref)).toEqual({ decision: 'refused' });
    const { invocation, attempts } = await world.recorded(ref);
    expect(invocation?.error).toContain('digest_mismatch');
    expect(attempts).toEqual([]);
  },
);
