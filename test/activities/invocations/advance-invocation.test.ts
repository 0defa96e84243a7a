import { describe, expect, test } from 'vitest';
import type { DispatchResult } from '../../../activities/adapters/adapter.ts';
import { CallSlots } from '../../../activities/call-slots.ts';
import { PlainInvocations } from '../../../activities/invocations/plain-invocations.ts';
import { verifyReceipts } from '../../../db/effects/verify-receipts.ts';
import { haltEnvironment, resumeEnvironment } from '../../../db/environments/halt.ts';
import { createImpactLimit } from '../../../db/impact-limits/limits.ts';
import type { InvocationRef } from '../../../domain/refs.ts';
import { ACCEPTED, ActivityWorld, adapterThat, type Admission, type Recorded, REJECTED } from './world.ts';

/** The clean way of an invocation: judged, claimed, sent and settled in one step, in two transactions. */

const world = await ActivityWorld.start();

const SUCCEEDED = { status: 'succeeded', grade: 'acknowledged', stage: 'settled' };
const SETTLED = { next: 'sent', dispatched: { seen: 'settled', state: SUCCEEDED } };
const NO_ANSWER: DispatchResult = { kind: 'no_answer', reason: 'reset' };
const REFUSED: DispatchResult = { kind: 'refused', refusal: { code: 'secret_missing', message: 'gone' } };

const accepting = () => adapterThat(() => Promise.resolve(ACCEPTED));

/** An adapter whose call goes on until it is answered. */
function hanging() {
  let answer: (result: DispatchResult) => void = () => undefined;
  return {
    ...adapterThat(() => new Promise((resolve) => (answer = resolve))),
    answer: (to: DispatchResult) => answer(to),
  };
}

/** Makes a limit of a dimension of its own, and returns what an action declares to be counted by it. */
async function limited(cap: number, period: 'lifetime' | 'per_effect' = 'lifetime'): Promise<Admission> {
  const dimension = `unit_${Math.random().toString(36).slice(2, 10)}`;
  const terms = { dimension, currency: null, cap, period, timezone: 'UTC', scope: {}, thresholds: [] };
  await world.transaction((tx) => createImpactLimit(tx, { name: dimension, ...terms }));
  return { definition: { impact: [{ dimension, amount: { const: 1 }, bound: 'exact' }] } };
}

async function reservationsOf({ invocationId }: InvocationRef): Promise<string[]> {
  const rows = await world.database.asOwner<{ stands: string }>(
    `SELECT concat_ws(' ', r.state, r.settled, r.released, c.reserved, c.settled) AS stands FROM impact_reservations r
       JOIN effects e ON e.id = r.effect_id JOIN impact_limit_periods c ON c.limit_id = r.limit_id AND c.period = r.period
     WHERE e.invocation_id = $1`,
    [invocationId],
  );
  return rows.map(({ stands }) => stands);
}

/** The claim is an hour old: the call has outlived its deadline. */
async function makeOld({ invocationId }: InvocationRef): Promise<void> {
  const owner = await world.database.connectOwner();
  await owner.query('SET session_replication_role = replica');
  await owner.query(`UPDATE attempts SET claimed_at = claimed_at - interval '1 hour' WHERE invocation_id = $1`, [
    invocationId,
  ]);
}

/** What both ways write alike: all but ids, times and the order in which they wrote it. */
function shapeOf({ invocation, effects, attempts, evidence }: Recorded): unknown {
  const { status, grade, error, result } = invocation ?? {};
  return {
    invocation: { status, grade, error, result },
    effects: effects.map((one) => [one.stage, one.outcome, one.grade, one.partial_effect, one.rejection_reason]),
    attempts: attempts.map((one) => [one.number, one.kind, one.status, one.claimed, one.observed_outcome, one.error]),
    evidence: evidence.map((one) => [one.source, one.implied_outcome, one.summary]),
  };
}

describe('an invocation that waits for nothing', () => {
  test.each([
    ['accepted', ACCEPTED, true, SUCCEEDED],
    ['rejected', REJECTED, true, { status: 'failed', grade: 'failed', stage: 'settled' }],
    ['not answered', NO_ANSWER, true, { status: 'unknown', grade: 'unknown', stage: 'reconciling' }],
    ['refused', REFUSED, true, { status: 'refused', grade: 'refused', stage: 'rejected' }],
    ['accepted, plain', ACCEPTED, false, { ...SUCCEEDED, stage: null }],
    ['rejected, plain', REJECTED, false, { status: 'failed', grade: 'failed', stage: null }],
  ])('%s: is settled in one step, with the record that the way in steps leaves', async (_, result, governed, state) => {
    const { adapterFor, sent } = adapterThat(() => Promise.resolve(result));
    const { advanceInvocation, judgeInvocation, dispatchEffect } = world.activities({ adapterFor });
    const [ref, inSteps] = [
      await world.admit({ definition: { governed } }),
      await world.admit({ definition: { governed } }),
    ];
    expect(await advanceInvocation(ref)).toMatchObject({ next: 'sent', dispatched: { seen: 'settled', state } });
    await judgeInvocation(inSteps);
    expect(await dispatchEffect({ ...inSteps, settles: true })).toMatchObject({ seen: 'settled', state });
    expect(sent).toHaveLength(2);
    const recorded = await world.recorded(ref);
    expect(shapeOf(recorded)).toEqual(shapeOf(await world.recorded(inSteps)));
    const receipts = await world.transaction((tx) =>
      verifyReceipts(
        tx,
        recorded.effects.map(({ id }) => id),
      ),
    );
    expect(receipts.map(({ brokenAt, entries }) => [brokenAt, entries])).toEqual(governed ? [[null, 4]] : []);
    expect(await world.database.asOwner('SELECT FROM lane_places')).toEqual([]);
  });

  test('twenty executions at once send it once', async () => {
    const ref = await world.admit();
    const { adapterFor, sent } = accepting();
    const { advanceInvocation } = world.activities({ adapterFor });
    const answers = await Promise.all(Array.from({ length: 20 }, () => advanceInvocation(ref)));
    expect(sent).toHaveLength(1);
    expect(answers.filter(({ next }) => next === 'sent')).not.toEqual([]);
    expect(await world.recorded(ref)).toMatchObject({ invocation: { status: 'succeeded' }, attempts: [{ number: 1 }] });
  });

  test.each(['lifetime', 'per_effect'] as const)('a limit of the period %s: reserved, then settled', async (period) => {
    const admission = await limited(1, period);
    const { adapterFor, sent } = accepting();
    const { advanceInvocation } = world.activities({ adapterFor });
    const ref = await world.admit(admission);
    expect(await advanceInvocation(ref)).toMatchObject(SETTLED);
    expect(await reservationsOf(ref)).toEqual(['settled 1 0 0 1']);
    const next = await world.admit(admission);
    const answer = await advanceInvocation(next);
    const refused = { next: 'ended', state: { refusal: 'impact_limit_exceeded' } };
    expect(answer).toMatchObject(period === 'per_effect' ? SETTLED : refused);
    expect(sent).toHaveLength(period === 'per_effect' ? 2 : 1);
  });

  test('a rejected call gives its reservation back', async () => {
    const { adapterFor } = adapterThat(() => Promise.resolve(REJECTED));
    const admission = await limited(5);
    const { advanceInvocation } = world.activities({ adapterFor });
    await advanceInvocation(await world.admit(admission)); // begins the period
    const ref = await world.admit(admission);
    expect(await advanceInvocation(ref)).toMatchObject({ dispatched: { state: { status: 'failed' } } });
    expect(await reservationsOf(ref)).toEqual(['released 0 1 0 0']);
  });

  test('a halted environment: nothing is sent, and the receipt says why', async () => {
    const ref = await world.admit();
    const { adapterFor, sent } = accepting();
    const { environmentId } = world.database.tenant;
    const actor = { type: 'api_key', id: 'key_test' };
    await world.transaction((tx) => haltEnvironment(tx, environmentId, { reason: 'stop', actor }));
    const answer = await world.activities({ adapterFor }).advanceInvocation(ref);
    await world.transaction((tx) => resumeEnvironment(tx, environmentId));
    expect(answer).toMatchObject({ next: 'ended', state: { refusal: 'environment_halted' } });
    expect(sent).toEqual([]);
  });
});

test('a limit in another currency refuses it, and the place is given back', async () => {
  const name = 'euros that are capped';
  const period = 'lifetime';
  const terms = { dimension: 'money', currency: 'eur', cap: 5, timezone: 'UTC', scope: {}, thresholds: [] };
  await world.transaction((tx) => createImpactLimit(tx, { name, period, ...terms }));
  const { adapterFor, sent } = accepting();
  const impact = [{ dimension: 'money', currency: 'usd', amount: { const: 1 }, bound: 'exact' as const }];
  const answer = await world
    .activities({ adapterFor })
    .advanceInvocation(await world.admit({ definition: { impact } }));
  expect(answer).toMatchObject({ next: 'ended', state: { refusal: 'currency_mismatch' } });
  expect(sent).toEqual([]);
  expect(await world.database.asOwner('SELECT FROM lane_places')).toEqual([]);
});

describe('an invocation that the workflow has to go on with', () => {
  test.each([
    ['its call may be long', { definition: { timeoutMs: 30_001 } }, new CallSlots(1)],
    ['no slot is free', {}, new CallSlots(0)],
  ])('%s: it is marked, and nothing is sent', async (_, admission: Admission, dispatchSlots) => {
    const ref = await world.admit(admission);
    const { adapterFor, sent } = accepting();
    expect(await world.activities({ adapterFor, dispatchSlots }).advanceInvocation(ref)).toMatchObject({
      next: 'send',
    });
    expect(sent).toEqual([]);
    expect(await world.recorded(ref)).toMatchObject({ attempts: [{ status: 'started', claimed: false }] });
  });

  test('its workspace has its calls in flight: it queues', async () => {
    const { adapterFor, sent, answer } = hanging();
    const inFlightCaps = { ...world.dependencies().inFlightCaps, dispatch: 1 };
    const { advanceInvocation } = world.activities({ adapterFor, inFlightCaps });
    const [first, second] = [await world.admit(), await world.admit()];
    const held = advanceInvocation(first);
    await expect.poll(() => sent.length).toBe(1);
    expect(await advanceInvocation(second)).toMatchObject({ next: 'send' });
    expect(await world.recorded(second)).toMatchObject({ attempts: [{ claimed: false }] });
    answer(ACCEPTED);
    expect(await held).toMatchObject(SETTLED);
  });

  test('marked before, by an execution that was lost: it is sent', async () => {
    const ref = await world.ready();
    const { adapterFor, sent } = accepting();
    expect(await world.activities({ adapterFor }).advanceInvocation(ref)).toMatchObject(SETTLED);
    expect(sent).toHaveLength(1);
  });
});

describe('a crash', () => {
  test('before the claim commits: nothing was sent, and the next execution sends it', async () => {
    const ref = await world.admit();
    const { adapterFor, sent } = accepting();
    await expect(world.losing(['before_commit'], { adapterFor }).advanceInvocation(ref)).rejects.toThrow(
      'terminating connection',
    );
    expect(sent).toEqual([]);
    expect(await world.recorded(ref)).toMatchObject({ invocation: { status: 'queued' }, attempts: [], effects: [] });
    expect(await world.activities({ adapterFor }).advanceInvocation(ref)).toMatchObject(SETTLED);
  });

  test('after the claim: the next execution waits for the deadline of the call, and then the record decides', async () => {
    const admission = await limited(5);
    const ref = await world.admit(admission);
    const { adapterFor, sent } = accepting();
    await world.activities({ adapterFor }).advanceInvocation(await world.admit(admission)); // begins the period
    await expect(world.losing(['after_commit'], { adapterFor }).advanceInvocation(ref)).rejects.toThrow('terminated');
    const { advanceInvocation, settleInvocation } = world.activities({ adapterFor });
    const waits = await advanceInvocation(ref);
    expect(waits).toMatchObject({ next: 'await_end' });
    expect(waits.next === 'await_end' && waits.leftMs).toBeGreaterThan(10_000);
    await makeOld(ref);
    expect(await advanceInvocation(ref)).toMatchObject({ next: 'sent', dispatched: { seen: 'claimed_elsewhere' } });
    expect(await settleInvocation(ref)).toMatchObject({ status: 'unknown', stage: 'reconciling' });
    expect(sent).toHaveLength(1); // the one that began the period
    expect(await reservationsOf(ref)).toEqual(['reserved 0 0 1 1']);
  });

  test('while it is sent: the next execution waits, and finds the end that the first one records', async () => {
    const ref = await world.admit();
    const { adapterFor, sent, answer } = hanging();
    const { advanceInvocation } = world.activities({ adapterFor });
    const first = advanceInvocation(ref);
    await expect.poll(() => sent.length).toBe(1);
    expect(await advanceInvocation(ref)).toMatchObject({ next: 'await_end' });
    answer(ACCEPTED);
    expect(await first).toMatchObject(SETTLED);
    expect(await advanceInvocation(ref)).toMatchObject({ next: 'sent', dispatched: { seen: 'claimed_elsewhere' } });
    expect(sent).toHaveLength(1);
  });

  test.each(['before_commit', 'after_commit'] as const)(
    'the record is lost %s: one record, one settlement',
    async (loss) => {
      const ref = await world.admit();
      const { adapterFor, sent } = accepting();
      expect(await world.losing([null, loss], { adapterFor }).advanceInvocation(ref)).toMatchObject(SETTLED);
      expect(sent).toHaveLength(1);
      const { evidence, attempts } = await world.recorded(ref);
      expect([evidence.length, attempts.length]).toEqual([1, 1]);
    },
  );

  test('given up while it is sent: the answer is late evidence, and settles what was unknown', async () => {
    const ref = await world.admit();
    const { adapterFor, sent, answer } = hanging();
    const { advanceInvocation, settleInvocation } = world.activities({ adapterFor });
    const first = advanceInvocation(ref);
    await expect.poll(() => sent.length).toBe(1);
    expect(await settleInvocation(ref)).toMatchObject({ status: 'unknown' });
    answer(ACCEPTED);
    expect(await first).toMatchObject({ next: 'sent', dispatched: { seen: 'too_late' } });
    expect(await world.recorded(ref)).toMatchObject({
      invocation: { status: 'succeeded' },
      attempts: [{ status: 'abandoned' }],
    });
  });
});

describe('a plain invocation in the process that admitted it', () => {
  test.each([
    ['accepted', ACCEPTED, {}, true],
    ['rejected', REJECTED, {}, true],
    ['not answered', NO_ANSWER, {}, false],
    ['it asks people', ACCEPTED, { approval: { required: true, tag: null } }, false],
    ['its call may be long', ACCEPTED, { timeoutMs: 30_001 }, false],
  ])('%s: whether it came to a clean end, without a workflow', async (_, result, definition, isClean) => {
    const { adapterFor } = adapterThat(() => Promise.resolve(result));
    const plain = new PlainInvocations(world.dependencies({ adapterFor }));
    expect(await plain.run(await world.admit({ definition: { governed: false, ...definition } }))).toBe(isClean);
  });

  test('a stopping process begins none, and waits for those under way', async () => {
    const { adapterFor, sent, answer } = hanging();
    const plain = new PlainInvocations(world.dependencies({ adapterFor }));
    const running = plain.run(await world.admit({ definition: { governed: false } }));
    await expect.poll(() => sent.length).toBe(1);
    let isStopped = false;
    const stopping = plain.stop().then(() => (isStopped = true));
    expect(await plain.run(await world.admit({ definition: { governed: false } }))).toBe(false);
    expect(isStopped).toBe(false);
    answer(ACCEPTED);
    expect(await running).toBe(true);
    await stopping;
  });
});
