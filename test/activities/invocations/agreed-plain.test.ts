import { expect, test } from 'vitest';
import { agreeTo } from './agree-to.ts';
import { ACCEPTED, ActivityWorld, adapterThat, ANOTHER_VERSION } from './world.ts';

/** An approved plain invocation has no effect record. It has a preview, which its dispatch must match. */

const world = await ActivityWorld.start();

test.each([
  ['the request that was agreed to: sent', {}, 1, 'succeeded'],
  ['another one, by a worker of another version: refused', { descriptor: ANOTHER_VERSION }, 0, 'refused'],
] as const)('%s', async (_what, double, calls, status) => {
  const ref = await world.admit({ definition: { governed: false, approval: { required: true, tag: null } } });
  const { judgeInvocation, settleInvocation } = world.activities();
  await judgeInvocation(ref);
  await agreeTo(world, ref.invocationId);
  expect(await judgeInvocation(ref)).toMatchObject({ next: 'send' });
  const { adapterFor, sent } = adapterThat(() => Promise.resolve(ACCEPTED));
  await world.activities({ adapterFor: () => ({ ...adapterFor(), ...double }) }).dispatchEffect(ref);
  expect(sent).toHaveLength(calls);
  expect(await settleInvocation(ref)).toMatchObject({ status });
  const { invocation } = await world.recorded(ref);
  expect(invocation?.error ?? '').toContain(calls === 0 ? 'digest_mismatch' : '');
});
