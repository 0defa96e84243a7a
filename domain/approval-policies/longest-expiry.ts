import type { PolicySet } from './policy-set.ts';
import { DEFAULT_TERMS } from './terms.ts';
import type { PolicyVerdict } from './verdict.ts';

/** The longest time that an asking rule gives; null where nobody is asked. The approval ends with the shortest. */
export function longestExpirySeconds(set: PolicySet, { effect, source, trace }: PolicyVerdict): number | null {
  if (effect !== 'require_approval') return null;
  if (source !== 'policy') return DEFAULT_TERMS.expiresInSeconds;
  const asking = trace.filter((one) => one.outcome === 'matched' && one.effect === 'require_approval');
  const terms = asking.map(({ policyId, ruleId }) => {
    const policy = set.policies.find(({ id }) => id === policyId);
    return policy?.rules.find(({ id }) => id === ruleId)?.terms ?? DEFAULT_TERMS;
  });
  return Math.max(...terms.map(({ expiresInSeconds }) => expiresInSeconds));
}
