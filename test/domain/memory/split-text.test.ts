import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitText } from '../../../domain/memory/split-text.ts';

describe('splitting a text', () => {
  it.each([
    ['a short text is one chunk', 'One thought.', 100, ['One thought.']],
    ['nothing is no chunk', ' \n ', 100, []],
    [
      'paragraphs first',
      'First paragraph is here.\n\nSecond one. It goes on.',
      30,
      ['First paragraph is here.', 'Second one. It goes on.'],
    ],
    [
      'then sentences',
      'One sentence is here. Another follows it now.',
      30,
      ['One sentence is here.', 'Another follows it now.'],
    ],
    ['then words', 'word word word word', 11, ['word word', 'word word']],
    ['a cut within a word where there is no other', 'abcdefghij', 4, ['abcd', 'efgh', 'ij']],
    ['a pair of surrogates stays whole', 'abc😀def', 4, ['abc', '😀de', 'f']],
  ])('%s', (_, text, charactersMax, chunks) => {
    expect(splitText(text, charactersMax)).toEqual(chunks);
  });

  // Quadratic, a row of as many dots took ten minutes on the worker's own thread: the test would time out.
  it.each(['.', '!?', '.)', "''", '\n', ' \n', ';', '…”'])('takes time in proportion to a text of %j', (unit) => {
    const text = `a${unit.repeat(2_000_000)}b`;
    expect(splitText(text, text.length - 1).join('')).toHaveLength(unit.trim() === '' ? 2 : text.length);
  });

  it('loses nothing but white space, keeps to the limit, and never more chunks than half the limit each', () => {
    const word = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 });
    const text = fc.array(fc.oneof(word, fc.constantFrom(' ', '. ', '\n', '\n\n', ', ')), { maxLength: 200 });
    fc.assert(
      fc.property(text, fc.integer({ min: 4, max: 120 }), (parts, charactersMax) => {
        const whole = parts.join('');
        const chunks = splitText(whole, charactersMax);
        expect(chunks.join('').replaceAll(/\s/g, '')).toBe(whole.replaceAll(/\s/g, ''));
        for (const chunk of chunks) {
          expect(chunk.length).toBeLessThanOrEqual(charactersMax);
          expect(chunk.trim()).not.toBe('');
        }
      }),
      { numRuns: 300 },
    );
  });
});
