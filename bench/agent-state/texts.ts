import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { projectRoot } from '../../process/project-root.ts';

/** Words of a memory, at least and at most. */
const WORDS_MIN = 12;
const WORDS_MAX = 40;
const QUERY_WORDS = 6;

export interface Texts {
  memory(): string;
  query(): string;
}

/** Texts as people write them: pieces of our own documentation, the same in every run. */
export function openTexts(): Texts {
  const folder = path.join(projectRoot(), 'docs');
  const words = readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .sort()
    .flatMap((name) => readFileSync(path.join(folder, name), 'utf8').match(/\p{L}[\p{L}’'-]*/gu) ?? []);
  const random = randomFrom(20_261_122);
  const piece = (count: number): string => {
    const from = Math.floor(random() * (words.length - count));
    return words.slice(from, from + count).join(' ');
  };
  return {
    memory: () => piece(WORDS_MIN + Math.floor(random() * (WORDS_MAX - WORDS_MIN))),
    query: () => piece(QUERY_WORDS),
  };
}

/** mulberry32. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
