import { LRUCache } from 'lru-cache';
import { policySetInSteps, type PolicyInput, type PolicySet } from './policy-set.ts';
import { policyTurns } from './policy-turns.ts';

export interface LoadedPolicySet {
  revision: number;
  set: PolicySet;
}

/** The same policies as one database snapshot holds them. `stamp` names this content for ever. */
export interface UncompiledPolicySet {
  environmentId: string;
  revision: number;
  stamp: string;
  policies: readonly PolicyInput[];
  /** Length of the documents as text. */
  bytes: number;
}

/** Estimated heap: that of the conditions, and three times the documents. */
const CACHE_BYTES_MAX = 64 * 1_048_576;
const HEAP_BYTES_A_BYTE = 3;

interface Cached {
  environmentId: string;
  loaded: LoadedPolicySet;
}

/** Compiled policies: an LRU cache by bytes, with each environment's newest set, found by its stamp. */
export class PolicySetCache {
  readonly #byStamp: LRUCache<string, Cached>;
  /** The stamp of the one set that the cache holds of each environment. */
  readonly #stamps = new Map<string, string>();
  readonly #compiling = new Map<string, Promise<LoadedPolicySet>>();
  readonly #bytesMax: number;

  constructor(bytesMax = CACHE_BYTES_MAX) {
    this.#bytesMax = bytesMax;
    this.#byStamp = new LRUCache({
      maxSize: bytesMax,
      dispose: ({ environmentId }, stamp) => {
        if (this.#stamps.get(environmentId) === stamp) this.#stamps.delete(environmentId);
      },
    });
  }

  get size(): number {
    return this.#byStamp.size;
  }

  find(stamp: string): LoadedPolicySet | null {
    return this.#byStamp.get(stamp)?.loaded ?? null;
  }

  /** Compiles in turns, and once for all concurrent callers. Hold no database connection meanwhile. */
  compile(uncompiled: UncompiledPolicySet): Promise<LoadedPolicySet> {
    const { stamp } = uncompiled;
    const cached = this.find(stamp);
    if (cached !== null) return Promise.resolve(cached);
    const compiling =
      this.#compiling.get(stamp) ?? this.#compile(uncompiled).finally(() => this.#compiling.delete(stamp));
    this.#compiling.set(stamp, compiling);
    return compiling;
  }

  async #compile({ environmentId, revision, stamp, policies, bytes }: UncompiledPolicySet): Promise<LoadedPolicySet> {
    const set = await policyTurns.run(environmentId, policySetInSteps(policies));
    const loaded = { revision, set };
    this.#store(stamp, { environmentId, loaded }, conditionBytesOf(set) + HEAP_BYTES_A_BYTE * bytes);
    return loaded;
  }

  /** A set larger than the whole cache takes the whole cache: its environment will ask for it again. */
  #store(stamp: string, cached: Cached, bytes: number): void {
    const earlier = this.#stamps.get(cached.environmentId);
    if (earlier !== undefined) this.#byStamp.delete(earlier);
    this.#byStamp.set(stamp, cached, { size: Math.min(Math.max(bytes, 1), this.#bytesMax) });
    this.#stamps.set(cached.environmentId, stamp);
  }
}

function conditionBytesOf({ policies }: PolicySet): number {
  const conditions = policies.flatMap(({ rules }) => rules.map(({ condition }) => condition));
  return conditions.reduce(
    (sum, condition) => sum + (condition !== null && 'bytes' in condition ? condition.bytes : 0),
    0,
  );
}

export const policySets = new PolicySetCache();
