import { describe, expect, test } from 'vitest';
import type { DispatchResult } from '../../../activities/adapters/adapter.ts';
import { sweepRows } from '../../../activities/maintenance/sweep-rows.ts';
import { unsettledAnswers } from '../../../activities/maintenance/unsettled-answers.ts';
import { recordResolution } from '../../../db/reconciliation/resolution.ts';
import type { EffectRef } from '../../../domain/refs.ts';
import { ACCEPTED, ActivityWorld, adapterThat, type Admission, type Loss, REJECTED } from '../invocations/world.ts';

const world = await ActivityWorld.start();

const PLAIN: Admission = { definition: { governed: false } };

/** A worker sends and is presumed dead meanwhile: the attempt is given up before the answer arrives. */
async function answeredLate(
  ref: EffectRef,
  result: DispatchResult,
  meanwhile: () => Promise<void> = () => Promise.resolve(),
  losses: readonly Loss[] = [],
) {
  const { adapterFor } = adapterThat(async () => {
    const { settleInvocation } = world.activities();
    expect(await settleInvocation(ref)).toMatchObject({ status: 'unknown', grade: 'unknown' });
    await meanwhile();
    return result;
  });
  // The first transaction is the claim, the next ones are the tries to record.
  return world.losing([null, ...losses], { adapterFor }).dispatchEffect(ref);
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

  test.each<Loss>(['before_commit', 'after_commit'])(
    'is kept once, and settles, where the connection of the first try breaks %s',
    async (loss) => {
      const ref = await world.ready(admission);
      expect(await answeredLate(ref, ACCEPTED, undefined, [loss])).toEqual({ seen: 'too_late' });
      const { invocation, evidence } = await world.recorded(ref);
      expect(invocation).toMatchObject({ status: 'succeeded', grade: 'acknowledged', result: { status: 200 } });
      expect(evidence.filter(({ source }) => source === 'provider_response')).toHaveLength(admission === PLAIN ? 0 : 1);
    },
  );

  test('is kept where it cannot be settled, and the sweep settles it', async () => {
    const ref = await world.ready(admission);
    const breakSettlement = async (): Promise<void> => {
      await world.database.asOwner(`
        CREATE OR REPLACE FUNCTION break_settlement() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'broken'; END $$;
        CREATE TRIGGER break_settlement BEFORE UPDATE ON invocations FOR EACH ROW
          WHEN (NEW.id = '${ref.invocationId}') EXECUTE FUNCTION break_settlement()`);
    };
    expect(await answeredLate(ref, ACCEPTED, breakSettlement)).toEqual({ seen: 'too_late' });
    const sweep = () => sweepRows(world.dependencies(), 'unsettled-answers', unsettledAnswers);
    expect(await sweep()).toEqual({ seen: 1, failed: 1 });
    expect((await world.recorded(ref)).invocation).toMatchObject({ status: 'unknown' });
    await world.database.asOwner('DROP TRIGGER break_settlement ON invocations');
    expect(await sweep()).toEqual({ seen: 1, failed: 0 });
    expect((await world.recorded(ref)).invocation).toMatchObject({
      status: 'succeeded',
      grade: 'acknowledged',
      result: { status: 200 },
    });
    expect(await sweep()).toEqual({ seen: 0, failed: 0 });
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
