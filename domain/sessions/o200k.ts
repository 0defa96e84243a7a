import { BytePairEncodingCore } from 'gpt-tokenizer/BytePairEncodingCore';
import ranks from 'gpt-tokenizer/bpeRanks/o200k_base';
import { O200KBase } from 'gpt-tokenizer/encodingParams/o200k_base';
import { mergePairs } from './merge-pairs.ts';

/** Counts tokens in o200k_base. The loaded module holds tens of megabytes: only the token thread imports it. */

/** Words in gpt-tokenizer's cache. Longer ones are rare, and a cache of them could hold whole requests. */
const CACHED_WORDS_MAX = 20_000;
const CACHED_WORD_CHARACTERS_MAX = 32;
/** gpt-tokenizer's own merge takes the square of a word's length: over a minute for 200 KB without a space. */
const SQUARE_MERGE_BYTES_MAX = 128;

/** What gpt-tokenizer calls on itself; its types hide these members. */
interface Hooks {
  getBpeRankFromBytes(bytes: Uint8Array): number | undefined;
  addToMergeCache(word: string, tokens: number[]): void;
  bytePairMerge(word: Uint8Array): number[];
}

function makeCore(): BytePairEncodingCore {
  const core = new BytePairEncodingCore({ ...O200KBase(ranks), mergeCacheSize: CACHED_WORDS_MAX });
  const hooks = core as unknown as Hooks;
  const remember = hooks.addToMergeCache.bind(core);
  const mergeShort = hooks.bytePairMerge.bind(core);
  hooks.addToMergeCache = (word, tokens) => {
    if (word.length <= CACHED_WORD_CHARACTERS_MAX) remember(word, tokens);
  };
  hooks.bytePairMerge = (word) =>
    word.length <= SQUARE_MERGE_BYTES_MAX
      ? mergeShort(word)
      : mergePairs(word, (bytes) => hooks.getBpeRankFromBytes(bytes));
  return core;
}

const core = makeCore();

/** Marks such as `<|endoftext|>` are text here: what a session holds is data. */
export function countTokens(text: string): number {
  return core.countNative(text);
}
