import { describe, expect, it } from 'vitest';
import { fuseRanks } from '../../../domain/memory/rank-fusion.ts';

const ranking = (...ids: string[]) => ids.map((id, index) => ({ id, score: 1 - index / 10 }));

describe('reciprocal rank fusion', () => {
  it('puts what both rankings have before what one of them has first', () => {
    const fused = fuseRanks(ranking('a', 'b', 'c'), ranking('d', 'b'));
    expect(fused.map(({ id }) => id)).toEqual(['b', 'a', 'd', 'c']);
    expect(fused[0]).toEqual({
      id: 'b',
      score: 1 / 62 + 1 / 62,
      vector: { rank: 2, score: 0.9 },
      text: { rank: 2, score: 0.9 },
    });
    expect(fused[1]).toMatchObject({ score: 1 / 61, text: null });
  });

  it('answers ties in one order, whichever ranking they are from', () => {
    expect(fuseRanks(ranking('b'), ranking('a')).map(({ id }) => id)).toEqual(['a', 'b']);
    expect(fuseRanks(ranking('a'), ranking('b')).map(({ id }) => id)).toEqual(['a', 'b']);
  });
});
