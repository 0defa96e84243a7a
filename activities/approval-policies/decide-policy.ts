import { findPolicySet } from '../../db/approval-policies/evaluation.ts';
import type { EnvironmentTransaction } from '../../db/client.ts';
import type { InvocationWork } from '../../db/invocations/records.ts';
import type { ImpactQuantity } from '../../domain/actions.ts';
import { evaluatePolicies } from '../../domain/approval-policies/evaluate-policies.ts';
import { policyTurns } from '../../domain/approval-policies/policy-turns.ts';
import { policyDefaultsOf, policyFactsOf, type PolicySubject } from '../../domain/approval-policies/facts.ts';
import type { PolicyVerdict } from '../../domain/approval-policies/verdict.ts';
import { compiledOrEnd } from '../../domain/approval-policies/with-compiled-policies.ts';

/** Evaluates the policies now, inside `withCompiledPolicies`. Needs no round trip for known revisions. */
export async function decidePolicy(
  tx: EnvironmentTransaction,
  work: InvocationWork,
  impact: readonly ImpactQuantity[],
  now: Date,
): Promise<PolicyVerdict> {
  const { set } = compiledOrEnd(await findPolicySet(tx, work.policies));
  if (set.policies.length > 0) await policyTurns.take(work.environment.id);
  const subject: PolicySubject = {
    action: { id: work.actionId, name: work.actionName, versionId: work.versionId },
    definition: work.definition,
    input: work.input,
    impact,
    environment: work.environment,
    caller: {
      type: work.requestedBy.type === 'user' ? 'user' : 'api_key',
      id: work.requestedBy.id ?? '',
      name: work.requestedByName,
      agentId: work.agentId,
    },
    runId: work.runId,
    now,
  };
  return evaluatePolicies(set, policyFactsOf(subject), policyDefaultsOf(subject));
}
