import type { ActionRecord } from '../../db/actions/records.ts';
import { findPolicySet } from '../../db/approval-policies/find-policy-set.ts';
import { readEvaluationContext } from '../../db/approval-policies/read-evaluation-context.ts';
import type { EnvironmentTransaction } from '../../db/client.ts';
import type { AdapterDescriptor } from '../../domain/adapters/adapter-descriptor.ts';
import { impactOf } from '../../domain/adapters/adapter-impact.ts';
import { evaluatePolicies } from '../../domain/approval-policies/evaluate-policies.ts';
import { policyDefaultsOf, policyFactsOf } from '../../domain/approval-policies/facts.ts';
import { longestExpirySeconds } from '../../domain/approval-policies/longest-expiry.ts';
import { policyTurns } from '../../domain/approval-policies/policy-turns.ts';
import { compiledOrEnd } from '../../domain/approval-policies/with-compiled-policies.ts';
import type { Observation } from '../../domain/previews/observation.ts';
import type { Actor } from '../http/define-route.ts';
import type { PreviewRequest } from './preview-request.ts';

interface Subject {
  action: ActionRecord;
  descriptor: AdapterDescriptor;
  request: PreviewRequest;
  actor: Actor;
  observation: Observation | null;
  now: Date;
}

/**
 * How long a preview lives whose request does not say: where the policies would ask people now, as long as the longest `expiresIn` of
 * the rules that ask, because the approval binds to the preview and ends with it. A rule may give people up to 30 days, more than a
 * request may ask for. `withCompiledPolicies` must run the transaction.
 */
export async function defaultLifetimeSeconds(
  tx: EnvironmentTransaction,
  { action, descriptor, request, actor, observation, now }: Subject,
): Promise<number> {
  const { definition } = action;
  const impact = impactOf(descriptor, definition, request.input, observation?.preconditions ?? null);
  if (!impact.ok) return request.leastSeconds; // refused when the preview is put together
  const keyId = actor.type === 'api_key' ? actor.id : null;
  const { environment, keyName } = await readEvaluationContext(tx, keyId);
  const { set } = compiledOrEnd(await findPolicySet(tx));
  if (set.policies.length > 0) await policyTurns.take(environment.id);
  const subject = {
    action: { id: action.id, name: action.name, versionId: action.currentVersion.id },
    definition,
    input: request.input,
    impact: impact.quantities,
    environment,
    caller: {
      type: keyId === null ? ('user' as const) : ('api_key' as const),
      id: actor.id,
      name: keyName,
      agentId: request.agentId,
    },
    runId: request.runId,
    now,
  };
  const verdict = evaluatePolicies(set, policyFactsOf(subject), policyDefaultsOf(subject));
  return Math.max(request.leastSeconds, longestExpirySeconds(set, verdict) ?? 0);
}
