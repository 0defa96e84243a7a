import { policySets, type LoadedPolicySet, type UncompiledPolicySet } from './policy-set-cache.ts';

/** Where policies change faster than they compile, the activity or the request fails and is tried again later. */
const ATTEMPTS_MAX = 3;

/** Ends a transaction that meets policies which this process has not compiled. */
class PoliciesNotCompiled extends Error {
  readonly policies: UncompiledPolicySet;

  constructor(policies: UncompiledPolicySet) {
    super(`the policies of revision ${policies.revision} are not compiled yet`);
    this.name = 'PoliciesNotCompiled';
    this.policies = policies;
  }
}

/** @throws {PoliciesNotCompiled} which `withCompiledPolicies` catches, outside of the transaction. */
export function compiledOrEnd(found: LoadedPolicySet | UncompiledPolicySet): LoadedPolicySet {
  if ('set' in found) return found;
  throw new PoliciesNotCompiled(found);
}

/** Rolls back and runs again where policies are not compiled: neither connection nor locks wait for the compiler. */
export async function withCompiledPolicies<Result>(transaction: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transaction();
    } catch (error) {
      if (!(error instanceof PoliciesNotCompiled) || attempt === ATTEMPTS_MAX) throw error;
      await policySets.compile(error.policies);
    }
  }
}
