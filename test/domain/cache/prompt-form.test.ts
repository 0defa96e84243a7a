import { expect, test } from 'vitest';
import { composedForm, foldCase, normalisedPrompt } from '../../../domain/cache/prompt-form.ts';
import { DIFFERENT } from './prompts.ts';

test('takes prompts for the same that differ in form alone', () => {
  for (const same of [
    'What is  this?',
    'what is this',
    ' WHAT IS THIS?!',
    'What\u00a0is this …',
    'Ｗｈａｔ is this！',
  ]) {
    expect(normalisedPrompt(same)).toBe('what is this');
  }
  expect(normalisedPrompt('Zoe\u0308 lives where?')).toBe(normalisedPrompt('zoë lives where'));
  expect(normalisedPrompt('Ἀρχὴ ΟΔΟΣ')).toBe(normalisedPrompt('ἀρχὴ οδος'));
  expect(normalisedPrompt('Is it 20 ℃ or 10 GB?')).toBe(normalisedPrompt('is it 20 °c or 10 gb'));
});

test('never takes prompts for the same that mean something else', () => {
  const different = [
    ...DIFFERENT,
    ['What is that?', 'What is this?'],
    ['What is 1½?', 'What is 11⁄2?'],
    ['Wie lang ist 10⁻³?', 'Wie lang ist 10-3?'],
    ['Solve xⁿ', 'Solve xn'],
    ['See note ①2', 'See note 12'],
    ['What is (n + 1)!', 'What is (n + 1)'],
    ['How hot is 300 K?', 'How hot is 300 k?'],
    ['Is ℝ closed?', 'Is R closed?'],
    ['Çok sıkıldım', 'Çok sikildim'],
  ] as const;
  expect(different.filter(([a, b]) => normalisedPrompt(a) === normalisedPrompt(b))).toEqual([]);
});

test('folds the case of every character as Unicode simple case folding does', () => {
  const wrong: string[] = [];
  for (let point = 0; point <= 0x10ffff; point++) {
    if (point >= 0xd800 && point <= 0xdfff) continue;
    const character = String.fromCodePoint(point);
    for (const other of [character.toLowerCase(), character.toUpperCase()]) {
      if (other === character || Array.from(other).length > 1) continue;
      // A pattern that ignores case compares by simple case folding.
      const isSame = new RegExp(`^\\u{${point.toString(16)}}$`, 'iu').test(other);
      if (isSame !== (foldCase(character) === foldCase(other))) wrong.push(`${character} ${other}`);
    }
  }
  expect(wrong).toEqual([]);
  expect(['ß', 'ẞ', 'İ', 'I', 'ı', 'ς', 'Σ'].map(foldCase)).toEqual(['ß', 'ß', 'İ', 'i', 'ı', 'σ', 'σ']);
});

test('makes no more than four characters of one, so that the work for a prompt is bounded by its length', () => {
  const longer: string[] = [];
  for (let point = 0; point <= 0x10ffff; point++) {
    const character = String.fromCodePoint(point);
    if (composedForm(character).length > 4 * character.length) longer.push(`U+${point.toString(16)}`);
  }
  expect(longer).toEqual([]);
  expect(composedForm('\ufdf2')).toHaveLength(4);
});

test('takes time in proportion to the prompt', () => {
  // Quadratic, half an hour: the test would time out.
  expect(normalisedPrompt(`${'…'.repeat(200_000)}x`)).toHaveLength(600_001);
});
