import { canonicalJson } from '../canonical-json.ts';
import type { Json, JsonObject } from '../json.ts';

/** The semantic cache: limits, and what makes two prompts the same. The rules: docs/cache.md. */
export const CACHE_ENTRIES_MAX = 50_000;
export const TTL_SECONDS_DEFAULT = 86_400;
export const TTL_SECONDS_MAX = 2_592_000;
export const THRESHOLD_DEFAULT = 0.85;
export const PROMPT_CHARACTERS_MAX = 32_768;
export const RESPONSE_BYTES_MAX = 262_144;
export const NAMESPACE_DEFAULT = 'default';
/** The nearest by the signs of their vectors are compared exactly, and by the gate. */
export const CANDIDATES_MAX = 64;
/** So many characters of candidates pass the gate in one lookup, which reads them on the process's own thread; the nearest always does. */
export const GATED_CHARACTERS_MAX = 32_768;
/** About so many characters are a token, of most texts. */
const CHARACTERS_A_TOKEN = 4;

/** The identity of an entry beside its prompt. All of it must be equal. */
export interface CacheIdentity {
  namespace: string;
  model: string | null;
  system: string | null;
  tools: Json | null;
  attributes: JsonObject;
}

/** The text whose digest is the identity: two that differ in any member differ in it. */
export function identityText({ namespace, model, system, tools, attributes }: CacheIdentity): string {
  return canonicalJson([namespace, model, system, tools, attributes]);
}

/** An estimate, to say what a hit saves. */
export function tokensOf(text: string): number {
  return Math.ceil(text.length / CHARACTERS_A_TOKEN);
}

/** An id, also behind the n of an escaped line break. Markdown puts a backslash before the underscore. */
const OF_AN_ACTION = /(?:inv|eff|apr|prv|att)\\*_[0-9A-Za-z]{22}(?![0-9A-Za-z])/;

/** Whether a response tells of what an action did. It is true of that one invocation, and is never the answer to another prompt. */
export function tellsOfAction(response: Json): boolean {
  return OF_AN_ACTION.test(JSON.stringify(response));
}

/** `not_exact`: there is no entry of the same prompt, and near ones were not asked for. */
export type LookupReason = 'exact' | 'near' | 'not_exact' | 'gated' | 'below_threshold' | 'empty';
