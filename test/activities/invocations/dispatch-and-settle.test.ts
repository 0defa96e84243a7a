import { expect, test } from 'vitest';
import type { DispatchResult } from '../../../activities/adapters/adapter.ts';
import { ACCEPTED, ActivityWorld, adapterThat, REJECTED } from './world.ts';

/** A dispatch that settles in the transaction of its record, because nothing has to be read back first. */

const world = await ActivityWorld.start();

const NO_ANSWER: DispatchResult = { kind: 'no_answer', reason: 'reset' };
const REFUSED: DispatchResult = { kind: 'refused', refusal: { code: 'secret_missing', message: 'gone' } };
const SUCCEEDED = { status: 'succeeded', grade: 'acknowledged', stage: 'settled' };

test.each([
  ['accepted', ACCEPTED, true, SUCCEEDED],
  ['rejected', REJECTED, true, { status: 'failed', grade: 'failed', stage: 'settled' }],
  ['not answered', NO_ANSWER, true, { status: 'unknown', grade: 'unknown', stage: 'reconciling' }],
  ['refused', REFUSED, true, { status: 'refused', grade: 'refused', stage: 'rejected' }],
  ['accepted, plain', ACCEPTED, false, { ...SUCCEEDED, stage: null }],
  ['not answered, plain', NO_ANSWER, false, { status: 'unknown', grade: 'unknown', stage: null }],
])('%s: the state that a settlement afterwards would have written', async (_, result, governed, state) => {
  const ref = await world.ready({ definition: { governed } });
  const { adapterFor } = adapterThat(() => Promise.resolve(result));
  const { dispatchEffect, settleInvocation } = world.activities({ adapterFor });
  const dispatched = await dispatchEffect({ ...ref, settles: true });
  expect(dispatched).toMatchObject({ seen: 'settled', state });
  const settled = await world.recorded(ref);
  expect(settled).toMatchObject({
    invocation: { status: state.status, grade: state.grade },
    attempts: [{ status: 'completed' }],
  });
  expect(settled.evidence).toHaveLength(governed ? 1 : 0);
  expect(dispatched.seen === 'settled' && dispatched.state).toEqual(await settleInvocation(ref));
  expect(await world.recorded(ref)).toEqual(settled);
});

test('the database is away for a moment: the next try records and settles', async () => {
  const ref = await world.ready();
  const { adapterFor } = adapterThat(() => Promise.resolve(ACCEPTED));
  const { dispatchEffect } = world.losing([null, 'before_commit'], { adapterFor });
  expect(await dispatchEffect({ ...ref, settles: true })).toMatchObject({ seen: 'settled', state: SUCCEEDED });
  expect(await world.recorded(ref)).toMatchObject({
    invocation: { status: 'succeeded' },
    attempts: [{ status: 'completed' }],
    evidence: [{ source: 'provider_response' }],
  });
});

test('the word of the commit is lost: one record, one settlement', async () => {
  const ref = await world.ready();
  const { adapterFor } = adapterThat(() => Promise.resolve(ACCEPTED));
  const { dispatchEffect, settleInvocation } = world.losing([null, 'after_commit'], { adapterFor });
  expect(await dispatchEffect({ ...ref, settles: true })).toMatchObject({ seen: 'settled', state: SUCCEEDED });
  const settled = await world.recorded(ref);
  expect(settled).toMatchObject({ invocation: { status: 'succeeded' }, evidence: [{ source: 'provider_response' }] });
  expect(await settleInvocation(ref)).toMatchObject(SUCCEEDED);
  expect(await world.recorded(ref)).toEqual(settled);
});

test('a settlement that fails does not cost the record of the answer', async () => {
  const ref = await world.ready();
  await world.database.asOwner(`
    CREATE FUNCTION break_settlement() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'broken'; END $$;
    CREATE TRIGGER break_settlement BEFORE UPDATE ON invocations FOR EACH ROW
      WHEN (NEW.id = '${ref.invocationId}') EXECUTE FUNCTION break_settlement()`);
  const { adapterFor, sent } = adapterThat(() => Promise.resolve(ACCEPTED));
  const { dispatchEffect, settleInvocation } = world.activities({ adapterFor });
  expect(await dispatchEffect({ ...ref, settles: true })).toEqual({ seen: 'recorded', outcome: 'succeeded' });
  expect(sent).toHaveLength(1);
  await world.database.asOwner('DROP TRIGGER break_settlement ON invocations');
  expect(await settleInvocation(ref)).toMatchObject(SUCCEEDED);
});

test('given up meanwhile: late evidence, and it settles what was unknown', async () => {
  const ref = await world.ready();
  let answer: (result: DispatchResult) => void = () => undefined;
  const { adapterFor, sent } = adapterThat(() => new Promise((resolve) => (answer = resolve)));
  const { dispatchEffect, settleInvocation } = world.activities({ adapterFor });
  const hanging = dispatchEffect({ ...ref, settles: true });
  await expect.poll(() => sent.length).toBe(1);
  expect(await settleInvocation(ref)).toMatchObject({ status: 'unknown', stage: 'reconciling' });
  answer(ACCEPTED);
  expect(await hanging).toEqual({ seen: 'too_late' });
  expect(await world.recorded(ref)).toMatchObject({
    invocation: { status: 'succeeded' },
    attempts: [{ status: 'abandoned' }],
    evidence: [{ details: { late: true } }],
  });
});

test('settled while a settlement of the workflow runs beside it: one of the two, and no deadlock', async () => {
  for (let round = 0; round < 20; round++) {
    const ref = await world.ready();
    const { adapterFor } = adapterThat(() => Promise.resolve(ACCEPTED));
    const { dispatchEffect, settleInvocation } = world.activities({ adapterFor });
    await Promise.all([dispatchEffect({ ...ref, settles: true }), settleInvocation(ref)]);
    const { invocation, evidence, attempts } = await world.recorded(ref);
    const gaveUp = attempts[0]?.status === 'abandoned';
    const acceptedInTime = evidence.filter((one) => one.source === 'provider_response' && one.details['late'] !== true);
    // An attempt given up before its claim was never sent. One that was already claimed is settled by its late answer.
    const wasSent = attempts[0]?.claimed === true;
    expect([invocation?.status, acceptedInTime.length]).toEqual([wasSent ? 'succeeded' : 'failed', gaveUp ? 0 : 1]);
  }
});
