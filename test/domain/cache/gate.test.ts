import { expect, test } from 'vitest';
import { tellsOfAction } from '../../../domain/cache/cache.ts';
import { gateOf } from '../../../domain/cache/gate.ts';
import { ARTICLES } from '../../../domain/cache/harmless-words.ts';
import { DIFFERENT, HARMLESS, OTHER_WORDS } from './prompts.ts';

const passes = (one: string, other: string): boolean =>
  gateOf(one)(other).length === 0 || gateOf(other)(one).length === 0;

test('keeps each pair back that means something else, both ways', () => {
  expect(DIFFERENT.length).toBeGreaterThanOrEqual(60);
  const passed = DIFFERENT.filter(([one, other]) => passes(one, other));
  expect(passed, 'a word of domain/cache/harmless-words.ts is not harmless here: remove it').toEqual([]);
});

test('lets every pair pass that differs in harmless words alone, both ways', () => {
  const kept = HARMLESS.filter(([one, other]) => gateOf(one)(other).length > 0 || gateOf(other)(one).length > 0);
  expect(kept, 'a hit is promised: domain/cache/harmless-words.ts must list the difference').toEqual([]);
});

test('keeps paraphrases in other words back', () => {
  expect(OTHER_WORDS.filter(([one, other]) => passes(one, other))).toEqual([]);
});

const PROMPTS = [...DIFFERENT, ...HARMLESS, ...OTHER_WORDS].flat();
const wordsOf = (prompt: string): string[] => prompt.split(' ');

test('keeps back every prompt in which a word is another one, or there is one more', () => {
  const passed: string[] = [];
  for (const prompt of PROMPTS) {
    const words = wordsOf(prompt);
    for (const at of words.keys()) {
      for (const removed of [0, 1]) {
        const other = words.toSpliced(at, removed, 'zebra').join(' ');
        if (passes(prompt, other)) passed.push(`${prompt} | ${other}`);
      }
    }
  }
  expect(passed, 'the gate denies by default: only words of domain/cache/harmless-words.ts may differ').toEqual([]);
});

test('keeps back every prompt whose words are in another order', () => {
  const passed: string[] = [];
  for (const prompt of PROMPTS) {
    const words = wordsOf(prompt);
    for (const [at, word] of words.entries()) {
      const next = words[at + 1];
      if (next === undefined || ARTICLES.has(word) || ARTICLES.has(next)) continue;
      const other = words.toSpliced(at, 2, next, word).join(' ');
      if (other.toLowerCase() !== prompt.toLowerCase() && passes(prompt, other)) passed.push(`${prompt} | ${other}`);
    }
  }
  expect(passed, 'the order of content words counts').toEqual([]);
});

test.each([
  ['Set an alarm for 7:30', 'Set an alarm for 7:45', ['numbers']],
  ['Rename the file "draft"', 'Rename the file "final"', ['quoted']],
  ['Is it warm in Paris?', 'Is it warm in London?', ['names']],
  ['Turn on dark mode', 'Turn off dark mode', ['words']],
  ['Can a dog bite a man', 'Can a man bite a dog', ['order']],
])('says what differs between “%s” and “%s”: %j', (one, other, reasons) => {
  expect(gateOf(one)(other)).toEqual(reasons);
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
