import { describe, expect, test } from 'vitest';
import { archiveAction, lockAction, updateAction } from '../../../db/actions/changes.ts';
import { lockInvocation, lockInvocationWork } from '../../../db/invocations/locks.ts';
import { withdrawInvocation } from '../../../db/invocations/admission.ts';
import { digestOf } from '../../../domain/canonical-json.ts';
import type { Json } from '../../../domain/json.ts';
import type { InvocationRef } from '../../../domain/refs.ts';
import { ACCEPTED, ActivityWorld, adapterThat, type Admission } from './world.ts';

/** The judgement of an invocation is carried out once, whatever dies or runs at the same time. */

const world = await ActivityWorld.start();

const ATTEMPTS = [{ number: 1, kind: 'dispatch', status: 'started', claimed: false, observed_outcome: null }];
const MARKED = {
  invocation: { status: 'dispatching', grade: 'pending' },
  effects: [{ stage: 'dispatching', outcome: 'pending' }],
  attempts: ATTEMPTS,
};
const UNBOUNDED: Admission = {
  definition: { impact: [{ dimension: 'money', currency: 'usd', amount: { path: 'input.amount' }, bound: 'exact' }] },
  input: { amount: -1 },
};
const PLAIN: Admission = { definition: { governed: false } };

/** An invocation that waits for an effect which is not settled. */
async function waiting(): Promise<InvocationRef & { actionId: string }> {
  const { effectId } = await world.ready();
  const ref = await world.admit({ dependsOn: [effectId] });
  expect(await world.activities().judgeInvocation(ref)).toMatchObject({ next: 'wait_for_effects' });
  return ref;
}

async function makeVersion2(actionId: string): Promise<void> {
  await world.transaction(async (tx) => {
    const action = await lockAction(tx, actionId);
    if (action === null) throw new Error('the action was made');
    const definition = { ...action.definition, timeoutMs: action.definition.timeoutMs + 1 };
    const digest = digestOf(definition as unknown as Json);
    const version = { definition, digest, createdBy: { type: 'api_key', id: 'key_test' }, changeNote: null };
    await updateAction(tx, action, { name: action.name, description: null, version });
  });
}

describe('judged more than once', () => {
  test.each([true, false])('governed %s: one fence, and the same answer', async (governed) => {
    const ref = await world.admit({ definition: { governed } });
    const { judgeInvocation } = world.activities();
    const first = await judgeInvocation(ref);
    const marked = await world.recorded(ref);
    expect(first).toMatchObject({ next: 'send', effectId: marked.effects[0]?.id ?? null });
    expect(marked).toMatchObject({ ...MARKED, effects: governed ? MARKED.effects : [] });
    expect(await judgeInvocation(ref)).toEqual(first);
    expect(await world.recorded(ref)).toEqual(marked);
  });

  test('twenty times at once: one effect, one attempt, and the same answer', async () => {
    const ref = await world.admit();
    const { judgeInvocation } = world.activities();
    const answers = await Promise.all(Array.from({ length: 20 }, () => judgeInvocation(ref)));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(await world.recorded(ref)).toMatchObject(MARKED);
  });

  test.each([
    ['governed, with its effect', UNBOUNDED, 'impact_unbounded', 1],
    ['governed, of an action that was archived', {}, 'action_disabled', 1],
    ['plain, of an action that was archived', PLAIN, 'action_disabled', 0],
  ])('a refused one, %s, stays refused', async (_, admission: Admission, refusal, effects) => {
    const ref = await world.admit(admission);
    if (refusal === 'action_disabled') await world.transaction((tx) => archiveAction(tx, ref.actionId));
    const { judgeInvocation } = world.activities();
    const first = await judgeInvocation(ref);
    const refused = await world.recorded(ref);
    expect(first).toMatchObject({ next: 'ended', state: { status: 'refused', refusal } });
    expect(refused).toMatchObject({ invocation: { status: 'refused' }, attempts: [] });
    expect(refused.effects).toHaveLength(effects);
    expect(await judgeInvocation(ref)).toEqual(first);
    expect(await world.recorded(ref)).toEqual(refused);
  });

  test('after the dispatch was settled: nothing changes', async () => {
    const ref = await world.ready();
    const { judgeInvocation, dispatchEffect, settleInvocation } = world.activities();
    const before = await judgeInvocation(ref);
    await dispatchEffect(ref);
    await settleInvocation(ref);
    const settled = await world.recorded(ref);
    expect(await judgeInvocation(ref)).toEqual(before);
    expect(await world.recorded(ref)).toEqual(settled);
  });
});

describe('the worker or its database dies', () => {
  test('before the commit: nothing is left, and nothing can be claimed; behind it: the next run finds all', async () => {
    const ref = await world.admit();
    const { judgeInvocation } = world.losing(['before_commit', 'after_commit']);
    await expect(judgeInvocation(ref)).rejects.toThrow(/terminat/);
    expect(await world.recorded(ref)).toMatchObject({ invocation: { status: 'queued' }, effects: [], attempts: [] });
    expect(await world.activities().dispatchEffect(ref)).toEqual({ seen: 'claimed_elsewhere' });
    await expect(judgeInvocation(ref)).rejects.toThrow(/terminated/);
    const left = await world.recorded(ref);
    expect(left).toMatchObject(MARKED);
    expect(await judgeInvocation(ref)).toMatchObject({ next: 'send' });
    expect(await world.recorded(ref)).toEqual(left);
  });

  test('after the commit of a refusal: the next run finds what was decided', async () => {
    const ref = await world.admit(UNBOUNDED);
    const { judgeInvocation } = world.losing(['after_commit']);
    await expect(judgeInvocation(ref)).rejects.toThrow(/terminated/);
    const left = await world.recorded(ref);
    expect(await judgeInvocation(ref)).toMatchObject({ next: 'ended', state: { effectId: left.effects[0]?.id } });
    expect(await world.recorded(ref)).toEqual(left);
  });

  test('after a wait: the fence stands whole, or not at all', async () => {
    const awaited = await world.ready();
    const ref = await world.admit({ dependsOn: [awaited.effectId] });
    await world.activities().judgeInvocation(ref);
    const { adapterFor } = adapterThat(() => Promise.resolve(ACCEPTED));
    await world.activities({ adapterFor }).dispatchEffect({ ...awaited, settles: true });
    const { judgeInvocation } = world.losing(['before_commit']);
    await expect(judgeInvocation(ref)).rejects.toThrow(/terminat/);
    expect(await world.recorded(ref)).toMatchObject({ effects: [{ stage: 'ready' }], attempts: [] });
    expect(await judgeInvocation(ref)).toMatchObject({ next: 'send' });
    expect(await world.recorded(ref)).toMatchObject(MARKED);
  });
});

describe('what changed since it was asked for', () => {
  const REFUSED = { invocation: { status: 'refused', grade: 'refused' }, attempts: [] };

  test('the action was archived while it waited: its effect is rejected', async () => {
    const ref = await waiting();
    await world.transaction((tx) => archiveAction(tx, ref.actionId));
    const { judgeInvocation } = world.activities();
    expect(await judgeInvocation(ref)).toMatchObject({ next: 'ended', state: { refusal: 'action_disabled' } });
    expect(await world.recorded(ref)).toMatchObject({
      ...REFUSED,
      effects: [{ stage: 'rejected', outcome: 'not_dispatched', rejection_reason: 'action_disabled' }],
    });
  });

  test.each([
    ['before it was judged', async () => world.admit()],
    ['while it waited', waiting],
  ])('the action got a newer version %s: a governed one is refused', async (_, made) => {
    const ref = await made();
    await makeVersion2(ref.actionId);
    const answer = await world.activities().judgeInvocation(ref);
    const refused = await world.recorded(ref);
    expect(refused).toMatchObject({
      ...REFUSED,
      effects: [{ stage: 'rejected', rejection_reason: 'action_version_changed' }],
    });
    const state = { effectId: refused.effects[0]?.id, refusal: 'action_version_changed' };
    expect(answer).toMatchObject({ next: 'ended', state });
  });

  test('the action has a newer version: a plain one runs under the version that it was admitted with', async () => {
    const ref = await world.admit(PLAIN);
    await makeVersion2(ref.actionId);
    expect(await world.activities().judgeInvocation(ref)).toMatchObject({ next: 'send' });
  });

  test('after the fence stands, the archive comes too late: what was marked is dispatched', async () => {
    const ref = await world.admit();
    const { judgeInvocation } = world.activities();
    await judgeInvocation(ref);
    await world.transaction((tx) => archiveAction(tx, ref.actionId));
    expect(await judgeInvocation(ref)).toMatchObject({ next: 'send' });
    expect(await world.recorded(ref)).toMatchObject(MARKED);
  });
});

describe('the admission is withdrawn', () => {
  const withdraw = (ref: { invocationId: string }): Promise<boolean> =>
    world.transaction((tx) => withdrawInvocation(tx, ref.invocationId));

  test('before: the judgement finds nothing and does nothing', async () => {
    const ref = await world.admit();
    expect(await withdraw(ref)).toBe(true);
    expect(await world.activities().judgeInvocation(ref)).toEqual({ next: 'withdrawn' });
    expect(await world.recorded(ref)).toEqual({ invocation: null, effects: [], attempts: [], evidence: [] });
  });

  test.each([
    ['governed', {}],
    ['plain', PLAIN],
    ['refused', UNBOUNDED],
  ])('after, from a %s one: too late', async (_, admission: Admission) => {
    const ref = await world.admit(admission);
    await world.activities().judgeInvocation(ref);
    const judged = await world.recorded(ref);
    expect(await withdraw(ref)).toBe(false);
    expect(await world.recorded(ref)).toEqual(judged);
  });

  test('at the same moment: one of the two wins, and the other one knows', async () => {
    const { judgeInvocation } = world.activities();
    const wins = { withdrawal: 0, judgement: 0 };
    for (let round = 0; round < 40; round++) {
      const ref = await world.admit({ definition: { governed: round % 2 === 0 } });
      const racers = [() => judgeInvocation(ref).then((it) => it.next), () => withdraw(ref)];
      const [one, other] = await Promise.all((round % 4 < 2 ? racers : racers.toReversed()).map((run) => run()));
      const withdrawn = one === true || other === true;
      const next = typeof one === 'string' ? one : other;
      wins[withdrawn ? 'withdrawal' : 'judgement']++;
      expect(next).toBe(withdrawn ? 'withdrawn' : 'send');
      expect((await world.recorded(ref)).invocation === null).toBe(withdrawn);
    }
    expect(Math.min(wins.withdrawal, wins.judgement)).toBeGreaterThan(0);
  });
});

test('a run that waited behind one that made the effect sees that effect, with what its limits are checked by', async () => {
  const { effectId } = await world.ready();
  const ref = await world.admit({ dependsOn: [effectId] });
  const locked = () => world.database.lockWaits();
  const { judgeInvocation } = world.activities();
  const [first, second] = await world.transaction(async (tx) => {
    await lockInvocation(tx, ref.invocationId);
    const judged = judgeInvocation(ref);
    await expect.poll(locked).toBe(1);
    const read = world.transaction((other) => lockInvocationWork(other, ref.invocationId));
    await expect.poll(locked).toBe(2);
    return [{ judged }, { read }] as const;
  });
  expect(await first.judged).toMatchObject({ next: 'wait_for_effects' });
  const { effects } = await world.recorded(ref);
  expect(effects).toHaveLength(1);
  expect(await second.read).toMatchObject({
    effectId: effects[0]?.id,
    requestDigest: expect.stringMatching(/^sha256:/) as unknown,
    impact: expect.anything() as unknown,
  });
});
