import { describe, expect, it } from 'vitest';
import { RANKED_MAX, rarestWords } from '../../../domain/memory/rarest-words.ts';

const common = (word: string, memories: number) => ({ word, memories });
const rare = (word: string) => ({ word, memories: null });

describe('the words by which an index is asked', () => {
  it('are all of them, where together they match few enough', () => {
    expect(rarestWords([common('b', RANKED_MAX / 2), common('a', RANKED_MAX / 2), rare('c')])).toEqual(['c', 'a', 'b']);
    expect(rarestWords([])).toEqual([]);
  });

  it('are the rarest, as long as these match enough', () => {
    expect(rarestWords([common('most', 30_000), common('some', 1_000), common('few', 300), rare('one')])).toEqual([
      'one',
      'few',
      'some',
    ]);
    // 300 are enough; the next would be too many with them.
    expect(rarestWords([common('few', 300), common('many', RANKED_MAX)])).toEqual(['few']);
  });

  it('are more of them, where the rarest match too few, however common the next one is', () => {
    expect(rarestWords([common('few', 150), common('most', 30_000), common('all', 90_000)])).toEqual(['few', 'most']);
    // Whether any memory holds a word that was not counted is not known.
    expect(rarestWords([rare('unheard'), common('most', 30_000)])).toEqual(['unheard', 'most']);
    expect(rarestWords([common('most', 30_000)])).toEqual(['most']);
  });
});
