import { policySetInSteps, type PolicyInput, type PolicySet } from './policy-set.ts';
import { policyTurns } from './policy-turns.ts';

/** The policies that are in force, ready to be evaluated, and the revision that they are those of. */
export interface LoadedPolicySet {
  revision: number;
  set: PolicySet;
}

/** The same as the database has them, of one moment. `stamp` names this content for ever. */
export interface UncompiledPolicySet {
  environmentId: string;
  revision: number;
  stamp: string;
  policies: readonly PolicyInput[];
  /** Of the documents as text. */
  bytes: number;
}

/** Of the heap, about: what the conditions take, and thrice the documents. */
export const KEPT_SET_BYTES_MAX = 64 * 1_048_576;
const HEAP_BYTES_A_BYTE = 3;

interface Kept {
  environmentId: string;
  bytes: number;
  loaded: LoadedPolicySet;
}

/**
 * The policies that a process has compiled: of each environment the newest it has seen, of all of them as many as there is room
 * for, the least recently used going first. They go by their stamp, so that what is kept is never out of date.
 */
export class KeptPolicySets {
  readonly #byStamp = new Map<string, Kept>();
  readonly #coming = new Map<string, Promise<LoadedPolicySet>>();
  readonly #bytesMax: number;
  #bytes = 0;

  constructor(bytesMax = KEPT_SET_BYTES_MAX) {
    this.#bytesMax = bytesMax;
  }

  get size(): number {
    return this.#byStamp.size;
  }

  find(stamp: string): LoadedPolicySet | null {
    const kept = this.#byStamp.get(stamp);
    if (kept === undefined) return null;
    this.#byStamp.delete(stamp);
    this.#byStamp.set(stamp, kept);
    return kept.loaded;
  }

  /** In turns, and once for all who ask at a time. Hold no connection meanwhile. */
  compile(uncompiled: UncompiledPolicySet): Promise<LoadedPolicySet> {
    const { stamp } = uncompiled;
    const kept = this.find(stamp);
    if (kept !== null) return Promise.resolve(kept);
    const coming = this.#coming.get(stamp) ?? this.#compile(uncompiled).finally(() => this.#coming.delete(stamp));
    this.#coming.set(stamp, coming);
    return coming;
  }

  async #compile({ environmentId, revision, stamp, policies, bytes }: UncompiledPolicySet): Promise<LoadedPolicySet> {
    const set = await policyTurns.run(environmentId, policySetInSteps(policies));
    const loaded = { revision, set };
    this.#keep(stamp, { environmentId, bytes: conditionBytesOf(set) + HEAP_BYTES_A_BYTE * bytes, loaded });
    return loaded;
  }

  #keep(stamp: string, kept: Kept): void {
    for (const [other, { environmentId }] of this.#byStamp) if (environmentId === kept.environmentId) this.#drop(other);
    this.#byStamp.set(stamp, kept);
    this.#bytes += kept.bytes;
    for (const oldest of this.#byStamp.keys()) {
      // The newest stays, however large it is: whoever asked for it comes back for it.
      if (this.#bytes <= this.#bytesMax || this.#byStamp.size === 1) return;
      this.#drop(oldest);
    }
  }

  #drop(stamp: string): void {
    this.#bytes -= this.#byStamp.get(stamp)?.bytes ?? 0;
    this.#byStamp.delete(stamp);
  }
}

function conditionBytesOf({ policies }: PolicySet): number {
  const conditions = policies.flatMap(({ rules }) => rules.map(({ condition }) => condition));
  return conditions.reduce(
    (sum, condition) => sum + (condition !== null && 'bytes' in condition ? condition.bytes : 0),
    0,
  );
}

/** Of this process. */
export const policySets = new KeptPolicySets();
