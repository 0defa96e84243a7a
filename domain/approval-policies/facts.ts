import type { ActionDefinition, ImpactQuantity } from '../actions.ts';
import type { JsonObject } from '../json.ts';
import type { PolicyDefaults, PolicyFacts } from './verdict.ts';

/** What is known of an invocation, or would be, when its policies are evaluated. */
export interface PolicySubject {
  action: { id: string; name: string; versionId: string };
  /** Of that version. */
  definition: Pick<ActionDefinition, 'adapter' | 'governed' | 'approval'>;
  input: JsonObject;
  /** As `impactOf` of adapters/adapter-impact.ts made it of this input. */
  impact: readonly ImpactQuantity[];
  environment: PolicyFacts['environment'] & { approvalDefault: PolicyDefaults['approvalDefault'] };
  caller: PolicyFacts['caller'];
  runId: string | null;
  now: Date;
}

/**
 * What the policies are evaluated over. The worker and `POST /approval-policies/evaluate` both build it here, so that what is
 * tried out is what will happen.
 */
export function policyFactsOf(subject: PolicySubject): PolicyFacts {
  const { action, definition, environment, caller } = subject;
  return {
    input: subject.input,
    impact: subject.impact,
    action: {
      id: action.id,
      name: action.name,
      versionId: action.versionId,
      governed: definition.governed,
      tag: definition.approval.tag,
    },
    adapter: { type: definition.adapter.type, version: definition.adapter.version },
    environment: { id: environment.id, name: environment.name, kind: environment.kind },
    caller: { type: caller.type, id: caller.id, name: caller.name, agentId: caller.agentId },
    run: { id: subject.runId },
    now: subject.now,
  };
}

/** What decides where no rule matches. */
export function policyDefaultsOf(subject: Pick<PolicySubject, 'definition' | 'environment'>): PolicyDefaults {
  return {
    approvalRequired: subject.definition.approval.required,
    approvalDefault: subject.environment.approvalDefault,
  };
}
