import { describe, expect, it } from 'vitest';
import { RANKED_MAX, rarestWords } from '../../../domain/memory/rarest-words.ts';

const common = (word: string, memories: number) => ({ word, memories });
const rare = (word: string) => ({ word, memories: null });

describe('the words by which an index is asked', () => {
  it('are all of them, where together they match few enough', () => {
    const all = [common('b', RANKED_MAX / 2), common('a', RANKED_MAX / 2), rare('c')];
    expect(rarestWords(all)).toEqual({ alone: ['c', 'a', 'b'], paired: null });
    expect(rarestWords([])).toEqual({ alone: [], paired: null });
  });

  it('are the rarest, as long as these match enough', () => {
    expect(rarestWords([common('most', 30_000), common('some', 600), common('few', 300), rare('one')])).toEqual({
      alone: ['one', 'few', 'some'],
      paired: null,
    });
    // 300 are enough; the next would be too many with them.
    expect(rarestWords([common('few', 300), common('many', RANKED_MAX)])).toEqual({ alone: ['few'], paired: null });
  });

  it('are the next one beside any other, where the rarest match too few and the next one too many', () => {
    const [few, more, most] = [common('few', 150), common('more', 30_000), common('most', 90_000)];
    expect(rarestWords([most, few, more])).toEqual({ alone: ['few'], paired: 'more' });
    // Whether any memory holds a word that was not counted is not known.
    expect(rarestWords([rare('unheard'), most, more])).toEqual({ alone: ['unheard'], paired: 'more' });
    expect(rarestWords([more, most])).toEqual({ alone: [], paired: 'more' });
    // The same 70 may hold each of three words.
    const phrase = ['a', 'b', 'c'].map((word) => common(word, 70));
    expect(rarestWords([...phrase, more, most])).toEqual({ alone: ['a', 'b', 'c'], paired: 'more' });
  });

  it('are the last one alone, however common it is', () => {
    expect(rarestWords([common('few', 150), common('most', 30_000)])).toEqual({ alone: ['few', 'most'], paired: null });
    expect(rarestWords([common('most', 30_000)])).toEqual({ alone: ['most'], paired: null });
  });
});
