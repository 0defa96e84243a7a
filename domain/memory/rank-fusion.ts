/** Softens the difference between the first ranks. The value of the paper, which most engines keep. */
const RANK_OFFSET = 60;
/** How many items of each ranking are read. An item outside the first hundred of both rankings is not found. */
export const RANKING_DEPTH = 100;

export interface Ranked {
  id: string;
  score: number;
}

export interface Place {
  rank: number;
  score: number;
}

export interface Fused {
  id: string;
  score: number;
  vector: Place | null;
  text: Place | null;
}

/** Reciprocal rank fusion (Cormack, Clarke, Büttcher 2009): the sum of 1 / (60 + rank). Ties are ordered by id. */
export function fuseRanks(vector: readonly Ranked[], text: readonly Ranked[]): Fused[] {
  const fused = new Map<string, Fused>();
  const add = (ranking: readonly Ranked[], by: 'vector' | 'text'): void => {
    for (const [index, { id, score }] of ranking.entries()) {
      const item = fused.get(id) ?? { id, score: 0, vector: null, text: null };
      item.score += 1 / (RANK_OFFSET + index + 1);
      item[by] = { rank: index + 1, score };
      fused.set(id, item);
    }
  };
  add(vector, 'vector');
  add(text, 'text');
  return [...fused.values()].sort(byScore);
}

/** The highest score first; ties by id. */
export function byScore(a: Ranked, b: Ranked): number {
  return b.score - a.score || (a.id < b.id ? -1 : 1);
}
