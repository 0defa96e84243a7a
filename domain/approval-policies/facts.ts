import type { ActionDefinition, ImpactQuantity } from '../actions.ts';
import type { JsonObject } from '../json.ts';
import { exactInput } from '../json-schema/exact-input.ts';
import type { PolicyDefaults, PolicyFacts } from './verdict.ts';

/** The facts of an invocation, real or tried out, that its policies are evaluated over. */
export interface PolicySubject {
  action: { id: string; name: string; versionId: string };
  /** The id of that version. */
  definition: Pick<ActionDefinition, 'adapter' | 'governed' | 'approval' | 'inputSchema'>;
  input: JsonObject;
  /** What `impactOf` of adapters/adapter-impact.ts computed from this input. */
  impact: readonly ImpactQuantity[];
  environment: PolicyFacts['environment'] & { approvalDefault: PolicyDefaults['approvalDefault'] };
  caller: PolicyFacts['caller'];
  runId: string | null;
  now: Date;
}

/** The facts for policies. The worker and `POST /approval-policies/evaluate` share it, so that a trial is true. */
export function policyFactsOf(subject: PolicySubject): PolicyFacts {
  const { action, definition, environment, caller } = subject;
  return {
    input: exactInput(definition.inputSchema, subject.input),
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

export function policyDefaultsOf(subject: Pick<PolicySubject, 'definition' | 'environment'>): PolicyDefaults {
  return {
    approvalRequired: subject.definition.approval.required,
    approvalDefault: subject.environment.approvalDefault,
  };
}
