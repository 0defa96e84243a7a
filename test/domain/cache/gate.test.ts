import { expect, test } from 'vitest';
import { tellsOfAction } from '../../../domain/cache/cache.ts';
import { gateOf } from '../../../domain/cache/gate.ts';
import { DIFFERENT, PARAPHRASES } from './prompts.ts';

/** docs/cache.md publishes it. A word more in the gate's lists may cost paraphrases: then this says so. */
const PARAPHRASES_PASSED_MIN = 60;

test('keeps back each of at least 60 pairs that mean something else, both ways', () => {
  expect(DIFFERENT.length).toBeGreaterThanOrEqual(60);
  const passed = DIFFERENT.filter(([a, b]) => gateOf(a)(b).length === 0 || gateOf(b)(a).length === 0);
  expect(passed).toEqual([]);
});

test('lets paraphrases pass', () => {
  expect(PARAPHRASES.length).toBeGreaterThanOrEqual(60);
  const kept = PARAPHRASES.filter(([a, b]) => gateOf(a)(b).length > 0);
  expect(PARAPHRASES.length - kept.length, JSON.stringify(kept)).toBeGreaterThanOrEqual(PARAPHRASES_PASSED_MIN);
  expect(PARAPHRASES.flatMap(([a]) => gateOf(a)(a))).toEqual([]);
});

// Quadratic, minutes: the test would time out.
test.each([
  ['Paris ', 60_000],
  ['« ', 200_000],
  ['“ ', 200_000],
  ['„', 200_000],
])('takes time in proportion to a prompt of %j', (unit, times) => {
  const prompt = unit.repeat(times);
  expect(gateOf(prompt)(prompt)).toEqual([]);
});

test('knows what tells of an action', () => {
  const id = `eff_${'0'.repeat(22)}`;
  expect(
    [{ status: 'succeeded', effectId: id }, `The refund ${id} went through.`, ['ok', { id }]].map(tellsOfAction),
  ).toEqual([true, true, true]);
  const others = ['Paris.', { answer: 'eff_ is a prefix' }, 7, `${id}0`, `msg_${'0'.repeat(22)}`];
  expect(others.map(tellsOfAction)).toEqual(others.map(() => false));
});

test.each(['\n', '\r', '\t', '\f', '\b', '\v', '\u0001', '\\', '"', '_', '*', 'é', ' '])(
  'knows what tells of an action behind %j and before it',
  (character) => {
    const id = `apr_${'Z'.repeat(22)}`;
    const said = `Refunded.${character}${id}${character}Done.`;
    expect([said, { [said]: 1 }, [[{ a: said }]], JSON.stringify({ text: said })].map(tellsOfAction)).toEqual([
      true,
      true,
      true,
      true,
    ]);
  },
);

test('knows the id of an action as Markdown writes it', () => {
  expect(tellsOfAction(`_Refunded_: eff\\_${'0'.repeat(22)}`)).toBe(true);
});
