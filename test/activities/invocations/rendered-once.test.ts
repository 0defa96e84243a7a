import { expect, test } from 'vitest';
import type { ActivityDependencies } from '../../../activities/dependencies.ts';
import { realAdapters } from '../previews/support.ts';
import { agreeTo } from './agree-to.ts';
import { ActivityWorld, ANOTHER_VERSION } from './world.ts';

/** Rendering a large request takes milliseconds of the event loop, under the invocation's lock. Each transaction does it once. */

const world = await ActivityWorld.start();

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

test.each([true, false])('governed %s: evaluated and reserved in one transaction', async (governed) => {
  const { adapterFor, takeCount } = countingAdapters();
  const ref = await world.admit({ definition: { governed } });
  const { judgeInvocation } = world.activities({ adapterFor });
  expect(await judgeInvocation(ref)).toMatchObject({ next: 'send' });
  expect(takeCount()).toBe(1);
});

test.each([true, false])('governed %s: parked with a preview, and once more before it is sent', async (governed) => {
  const { adapterFor, takeCount } = countingAdapters();
  const ref = await world.admit({ definition: { governed, approval: { required: true, tag: null } } });
  const { judgeInvocation } = world.activities({ adapterFor });
  expect(await judgeInvocation(ref)).toMatchObject({ next: 'ask_for_approval' });
  expect(takeCount()).toBe(1);
  await agreeTo(world, ref.invocationId);
  expect(await judgeInvocation(ref)).toMatchObject({ next: 'send' });
  expect(takeCount()).toBe(1);
});

test.each([true, false])(
  'governed %s: what a later worker renders otherwise is refused all the same',
  async (governed) => {
    const ref = await world.admit({ definition: { governed, approval: { required: true, tag: null } } });
    await world.activities().judgeInvocation(ref);
    await agreeTo(world, ref.invocationId);
    const real = realAdapters();
    const { judgeInvocation } = world.activities({
      adapterFor: (chosen) => ({ ...real(chosen), descriptor: ANOTHER_VERSION }),
    });
    expect(await judgeInvocation(ref)).toMatchObject({
      next: 'ended',
      state: { status: 'refused', refusal: 'digest_mismatch' },
    });
    const { invocation, attempts } = await world.recorded(ref);
    expect(invocation?.error).toContain('digest_mismatch');
    expect(attempts).toEqual([]);
  },
);
