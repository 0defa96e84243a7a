import * as fc from 'fast-check';
import { countTokens as countedByPackage } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, test } from 'vitest';
import { mergePairs } from '../../../domain/sessions/merge-pairs.ts';
import { countTokens } from '../../../domain/sessions/o200k.ts';

/** Text as models read it: several scripts, long words without a space, white space, code. */
const text = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 40 }),
      fc.constantFrom(
        ' ',
        '\n',
        '\n\n',
        '   ',
        "don't",
        'HELLOWorld',
        '{"a":1}',
        '東京都庁',
        'Übergrößenträger',
        '🙂👩‍👩‍👧',
      ),
      fc
        .tuple(fc.string({ minLength: 1, maxLength: 3 }), fc.integer({ min: 50, max: 300 }))
        .map(([part, times]) => part.repeat(times)),
    ),
    { maxLength: 6 },
  )
  .map((parts) => parts.join(''));

/** The same texts each time. */
const SEED = 200;

describe('tokens of o200k_base', () => {
  test('are counted as gpt-tokenizer counts them, also in long words', () => {
    fc.assert(
      fc.property(text, (given) => {
        fc.pre(!given.includes('<|'));
        expect(countTokens(given)).toBe(countedByPackage(given));
      }),
      { numRuns: 300, seed: SEED },
    );
  });

  test('of 200 KB without a space are counted in moments: the package takes the square of a length', () => {
    const startedAt = performance.now();
    expect(countTokens('abcdefghij'.repeat(20_000))).toBeGreaterThan(10_000);
    // On a quiet machine 0.3 s; the square takes over a minute.
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  });

  test('of a mark of the encoding are those of its text', () => {
    expect(countTokens('<|endoftext|>')).toBeGreaterThan(1);
  });
});

test('merging takes the lowest rank first, and of equals the first', () => {
  const ranks = new Map([
    ['a', 0],
    ['b', 1],
    ['aa', 2],
    ['ab', 3],
    ['aab', 4],
  ]);
  const rankOf = (bytes: Uint8Array): number | undefined => ranks.get(Buffer.from(bytes).toString());
  const merged = (word: string): number[] => mergePairs(Buffer.from(word), rankOf);
  expect(merged('a')).toEqual([0]);
  expect(merged('aaa')).toEqual([2, 0]);
  expect(merged('aab')).toEqual([4]);
  expect(merged('abab')).toEqual([3, 3]);
  expect(() => merged('c')).toThrow('lacks a byte');
});
