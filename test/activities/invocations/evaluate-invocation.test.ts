import { describe, expect, test } from 'vitest';
import { archiveAction } from '../../../db/actions/archive-action.ts';
import { withdrawInvocation } from '../../../db/invocations/withdraw-invocation.ts';
import { ActivityWorld, type Admission } from './world.ts';

const world = await ActivityWorld.start();

const UNBOUNDED: Admission = {
  definition: { impact: [{ dimension: 'money', currency: 'usd', amount: { path: 'input.amount' }, bound: 'exact' }] },
  input: { amount: -1 },
};

describe('evaluated more than once', () => {
  test('twice: one effect, and the same answer', async () => {
    const ref = await world.admit();
    const { evaluate } = world.activities();
    const first = await evaluate(ref);
    expect(await evaluate(ref)).toEqual(first);
    const { effects } = await world.recorded(ref);
    expect(first).toMatchObject({ decision: 'proceed', effectId: effects[0]?.id });
    expect(effects).toMatchObject([{ stage: 'ready', outcome: 'not_dispatched', grade: 'pending' }]);
  });

  test('twenty times at once: one effect, and the same answer', async () => {
    const ref = await world.admit();
    const { evaluate } = world.activities();
    const answers = await Promise.all(Array.from({ length: 20 }, () => evaluate(ref)));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect((await world.recorded(ref)).effects).toHaveLength(1);
  });

  test('a plain one has no effect, however often it is evaluated', async () => {
    const ref = await world.admit({ definition: { governed: false } });
    const { evaluate } = world.activities();
    const answers = await Promise.all(Array.from({ length: 5 }, () => evaluate(ref)));
    for (const answer of answers) expect(answer).toMatchObject({ decision: 'proceed', effectId: null });
    expect((await world.recorded(ref)).effects).toEqual([]);
  });

  test.each([
    ['with an effect of its own', UNBOUNDED, 1],
    ['plain, of an action that was archived', { definition: { governed: false } }, 0],
  ])('a refused one, %s, stays refused', async (_, admission: Admission, effects) => {
    const ref = await world.admit(admission);
    if (effects === 0) await world.transaction((tx) => archiveAction(tx, ref.actionId));
    const { evaluate } = world.activities();
    const first = await evaluate(ref);
    const settled = await world.recorded(ref);
    expect(first.decision).toBe('refused');
    expect(await evaluate(ref)).toEqual(first);
    expect(settled.effects).toHaveLength(effects);
    expect(await world.recorded(ref)).toEqual(settled);
  });

  test('one that was dispatched meanwhile proceeds, to find the fence', async () => {
    const ref = await world.ready();
    const { evaluate, dispatchEffect, settleInvocation } = world.activities();
    const during = await evaluate(ref);
    await dispatchEffect(ref);
    await settleInvocation(ref);
    expect(during).toMatchObject({ decision: 'proceed', effectId: ref.effectId });
    expect(await evaluate(ref)).toEqual(during);
  });
});

describe('the worker or its database dies', () => {
  test('before the commit: nothing is left, and the next run evaluates', async () => {
    const ref = await world.admit();
    const { evaluate } = world.losing(['before_commit']);
    await expect(evaluate(ref)).rejects.toThrow(/terminat/);
    expect(await world.recorded(ref)).toMatchObject({ invocation: { status: 'queued' }, effects: [] });
    expect(await evaluate(ref)).toMatchObject({ decision: 'proceed' });
  });

  test.each([
    ['proceeds', {}],
    ['is refused', UNBOUNDED],
  ])('after the commit of one that %s: the next run finds what was decided', async (_, admission: Admission) => {
    const ref = await world.admit(admission);
    const { evaluate } = world.losing(['after_commit']);
    await expect(evaluate(ref)).rejects.toThrow(/terminated/);
    const left = await world.recorded(ref);
    expect(await evaluate(ref)).toMatchObject({ effectId: left.effects[0]?.id });
    expect(await world.recorded(ref)).toEqual(left);
  });
});

describe('the admission is withdrawn', () => {
  const withdraw = (ref: { invocationId: string }): Promise<boolean> =>
    world.transaction((tx) => withdrawInvocation(tx, ref.invocationId));

  test('before: the evaluation finds nothing and does nothing', async () => {
    const ref = await world.admit();
    expect(await withdraw(ref)).toBe(true);
    expect(await world.activities().evaluate(ref)).toEqual({ decision: 'withdrawn' });
    expect(await world.recorded(ref)).toEqual({ invocation: null, effects: [], attempts: [], evidence: [] });
  });

  test.each([
    ['governed', {}],
    ['plain', { definition: { governed: false } }],
    ['refused', UNBOUNDED],
  ])('after, from a %s one: too late', async (_, admission: Admission) => {
    const ref = await world.admit(admission);
    await world.activities().evaluate(ref);
    const evaluated = await world.recorded(ref);
    expect(await withdraw(ref)).toBe(false);
    expect(await world.recorded(ref)).toEqual(evaluated);
  });

  test('at the same moment: one of the two wins, and the other one knows', async () => {
    const { evaluate } = world.activities();
    const wins = { withdrawal: 0, evaluation: 0 };
    for (let round = 0; round < 40; round++) {
      const ref = await world.admit({ definition: { governed: round % 2 === 0 } });
      const racers = [() => evaluate(ref).then((it) => it.decision), () => withdraw(ref)];
      const [one, other] = await Promise.all((round % 4 < 2 ? racers : racers.toReversed()).map((run) => run()));
      const withdrawn = one === true || other === true;
      const decision = typeof one === 'string' ? one : other;
      wins[withdrawn ? 'withdrawal' : 'evaluation']++;
      expect(decision).toBe(withdrawn ? 'withdrawn' : 'proceed');
      expect((await world.recorded(ref)).invocation === null).toBe(withdrawn);
    }
    expect(Math.min(wins.withdrawal, wins.evaluation)).toBeGreaterThan(0);
  });
});
