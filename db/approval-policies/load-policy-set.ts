import { setImmediate as turn } from 'node:timers/promises';
import {
  compilePolicySet,
  compilePolicySetInTurns,
  type PolicyInput,
  type PolicySet,
} from '../../domain/approval-policies/evaluate-policies.ts';
import type { PolicyDocument } from '../../domain/approval-policies/document.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { type PolicyRevision, readPolicyRevision } from './read-policy-revision.ts';

/** The policies that are in force, ready to be evaluated, and the revision that they are those of. */
export interface LoadedPolicySet {
  revision: number;
  set: PolicySet;
}

const NONE: LoadedPolicySet = { revision: 0, set: compilePolicySet([]) };

/** Environments whose policies a process keeps compiled. */
export const KEPT_SETS_MAX = 200;
/** Of their conditions together. Each takes about 70 bytes of the heap once it is compiled: some 200 MB in all. */
export const KEPT_CONDITION_CHARACTERS_MAX = 3_000_000;

/**
 * By the stamp of the revision, the least recently used first. A stamp names one content for ever (migration 0014), also one that
 * was read in a transaction that is rolled back, so what is kept is never out of date: another content has another stamp.
 */
const kept = new Map<string, KeptPolicySet>();

interface KeptPolicySet extends LoadedPolicySet {
  conditionCharacters: number;
}

/**
 * The enabled policies of the transaction's environment. A change that has committed is seen by the next call, on every process:
 * the revision is read each time, or was by `known` in an earlier statement of this transaction, and what was compiled under
 * it is used again. Read Committed lets a change come in between; then the answer is the newer one, whole.
 */
export async function loadPolicySet(tx: EnvironmentTransaction, known?: PolicyRevision): Promise<LoadedPolicySet> {
  const { stamp } = known ?? (await readPolicyRevision(tx));
  if (stamp === null) return NONE;
  const loaded = kept.get(stamp);
  if (loaded === undefined) return compileNow(tx);
  kept.delete(stamp);
  kept.set(stamp, loaded);
  return loaded;
}

/** How many sets this process keeps at this moment. */
export function keptPolicySets(): number {
  return kept.size;
}

interface Row {
  revision: string;
  stamp: string;
  id: string | null;
  name: string;
  priority: number;
  version: number;
  document: PolicyDocument;
}

/** The revision and the policies in one statement, so that both are of one moment. */
async function compileNow(tx: EnvironmentTransaction): Promise<LoadedPolicySet> {
  const { rows } = await tx.raw<{ rows: Row[] }>(
    `SELECT r.revision, r.stamp, p.id, p.name, p.priority, v.version, v.document
     FROM policy_revisions r
       LEFT JOIN approval_policies p ON p.environment_id = r.environment_id AND p.enabled AND p.archived_at IS NULL
       LEFT JOIN approval_policy_versions v ON v.policy_id = p.id AND v.version = p.current_version
     WHERE r.environment_id = current_environment_id()`,
    [],
  );
  const first = rows[0];
  if (first === undefined) throw new Error('the environment has no policy revision, and had one before');
  const policies = rows.flatMap(({ id, name, priority, version, document }) =>
    id === null ? [] : [{ id, name, priority, version, document }],
  );
  const set = await compilePolicySetInTurns(policies, turn);
  const loaded = { revision: Number(first.revision), set, conditionCharacters: conditionCharactersOf(policies) };
  kept.set(first.stamp, loaded);
  dropOldest();
  return loaded;
}

/** The newest stays, however large it is. */
function dropOldest(): void {
  let characters = [...kept.values()].reduce((sum, { conditionCharacters }) => sum + conditionCharacters, 0);
  for (const [oldest, { conditionCharacters }] of kept) {
    const fits = kept.size <= KEPT_SETS_MAX && characters <= KEPT_CONDITION_CHARACTERS_MAX;
    if (fits || kept.size === 1) return;
    kept.delete(oldest);
    characters -= conditionCharacters;
  }
}

function conditionCharactersOf(policies: readonly PolicyInput[]): number {
  const rules = policies.flatMap(({ document }) => document.rules);
  return rules.reduce((sum, { when }) => sum + (when?.length ?? 0), 0);
}
