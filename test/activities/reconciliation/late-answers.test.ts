import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DispatchResult } from '../../../activities/adapters/adapter.ts';
import { recordResolution } from '../../../db/reconciliation/record-resolution.ts';
import type { EffectRef } from '../../../domain/refs.ts';
import { ACCEPTED, ActivityWorld, adapterThat, type Admission, REJECTED } from '../invocations/world.ts';

let world: ActivityWorld;
beforeAll(async () => {
  world = await ActivityWorld.start();
});
afterAll(async () => world.close());

const PLAIN: Admission = { definition: { governed: false } };

/** A worker sends and is presumed dead meanwhile: the attempt is given up before the answer arrives. */
async function answeredLate(
  ref: EffectRef,
  result: DispatchResult,
  meanwhile: () => Promise<void> = () => Promise.resolve(),
) {
  const { adapterFor } = adapterThat(async () => {
    const { settleInvocation } = world.activities();
    expect(await settleInvocation(ref)).toMatchObject({ status: 'unknown', grade: 'unknown' });
    await meanwhile();
    return result;
  });
  return world.activities({ adapterFor }).dispatchEffect(ref);
}

describe.each([
  ['governed', {}],
  ['plain', PLAIN],
])('the answer of a %s dispatch that comes after its attempt was given up', (_, admission: Admission) => {
  test('settles what was unknown, at once, with its response; the attempt stays as it was closed', async () => {
    const ref = await world.ready(admission);
    expect(await answeredLate(ref, ACCEPTED)).toEqual({ seen: 'too_late' });
    expect(await world.recorded(ref)).toMatchObject({
      invocation: { status: 'succeeded', grade: 'acknowledged', error: null, result: { status: 200 } },
      attempts: [{ status: 'abandoned', observed_outcome: 'unknown' }],
    });
    const settled = await world.recorded(ref);
    expect(await world.activities().settleInvocation(ref)).toMatchObject({ status: 'succeeded' });
    expect(await world.recorded(ref)).toEqual(settled);
  });

  test('may be a rejection, or say that nothing was sent', async () => {
    const rejected = await world.ready(admission);
    await answeredLate(rejected, REJECTED);
    expect((await world.recorded(rejected)).invocation).toMatchObject({ status: 'failed', error: REJECTED.summary });
    const unsent = await world.ready(admission);
    await answeredLate(unsent, { kind: 'not_sent', reason: 'no connection' });
    expect((await world.recorded(unsent)).invocation).toMatchObject({
      status: 'failed',
      error: 'not sent: no connection',
    });
  });

  test('is kept once, also where the word of its commit was lost', async () => {
    const ref = await world.ready(admission);
    const { adapterFor } = adapterThat(async () => {
      await world.activities().settleInvocation(ref);
      return ACCEPTED;
    });
    // The claim, and then the record.
    await world.losing([null, 'after_commit'], { adapterFor }).dispatchEffect(ref);
    expect((await world.recorded(ref)).invocation).toMatchObject({ status: 'succeeded' });
    expect((await world.recorded(ref)).evidence.filter(({ source }) => source === 'provider_response')).toHaveLength(
      admission === PLAIN ? 0 : 1,
    );
  });

  test('changes nothing that a person resolved meanwhile', async () => {
    const ref = await world.ready(admission);
    await answeredLate(ref, ACCEPTED, async () => {
      await world.transaction((tx) =>
        recordResolution(tx, {
          invocationId: ref.invocationId,
          effectId: ref.effectId === '' ? null : ref.effectId,
          outcome: 'failed',
          previousOutcome: 'unknown',
          partialEffect: 'none',
          settledImpact: null,
          evidence: { summary: 'not there', providerIds: {}, url: null },
          resolvedBy: { type: 'user', id: 'usr_1' },
        }),
      );
    });
    expect((await world.recorded(ref)).invocation).toMatchObject({
      status: 'failed',
      error: 'resolved as failed: not there',
    });
  });
});
