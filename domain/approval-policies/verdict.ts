import type { ImpactQuantity } from '../actions.ts';
import type { ExactObject } from '../json.ts';
import type { Refusal } from '../refusals.ts';
import type { Role } from '../roles.ts';

/** The least strict first. How they combine: docs/approval-policies.md. */
export const POLICY_EFFECTS = ['allow', 'require_approval', 'deny'] as const;
export type PolicyEffect = (typeof POLICY_EFFECTS)[number];

/** What a policy is evaluated over. Everything that an expression can see, and nothing else. */
export interface PolicyFacts {
  /** As `exactInput` makes it. */
  input: ExactObject;
  impact: readonly ImpactQuantity[];
  action: { id: string; name: string; versionId: string; governed: boolean; tag: string | null };
  adapter: { type: string; version: string };
  environment: { id: string; name: string; kind: 'development' | 'staging' | 'production' };
  /** Who asked. For a key, `name` is the key's own name. */
  caller: { type: 'api_key' | 'user'; id: string; name: string | null; agentId: string | null };
  run: { id: string | null };
  now: Date;
}

/** Who may decide. Empty or absent lists name nobody; all absent: any key with `approvals:decide`, any admin or owner. */
export interface Approvers {
  roles?: Role[];
  /** User ids or e-mail addresses. */
  users?: string[];
  /** Key ids or names. */
  keys?: string[];
}

export interface ApprovalTerms {
  quorum: number;
  /** The approvers of the rule that decided. A decision is checked against `approversOfAll`. */
  approvers: Approvers;
  /** The approvers of every rule that requires an approval, without repeats: all of them must accept the decider. Never empty. */
  approversOfAll: Approvers[];
  /** The requester's decision does not count. */
  preventSelf: boolean;
  expiresInSeconds: number;
  onExpiry: 'deny';
}

export interface PolicyDefaults {
  /** The action's own `approval.required`. */
  approvalRequired: boolean;
  /** The environment's default; null: `require_approval` for governed actions in production, `allow` elsewhere. */
  approvalDefault: 'allow' | 'require_approval' | null;
}

export interface PolicyVerdict {
  effect: PolicyEffect;
  /** What decided: a rule of a policy, the action, or the environment's default. */
  source: 'policy' | 'action' | 'environment';
  policyId: string | null;
  version: number | null;
  ruleId: string | null;
  /** Set if `effect` is `require_approval`: the strictest terms of all rules that require one. */
  terms: ApprovalTerms | null;
  /** One sentence for people that gives the reason. */
  reason: string;
  /** Set where `effect` is `deny`: `policy_denied`, or `policy_evaluation_error` where an expression failed. */
  refusal: Refusal | null;
  trace: PolicyTrace[];
}

export function decisionOf({ effect, policyId, version, ruleId }: PolicyVerdict): string {
  return JSON.stringify({ effect, policyId, version, ruleId });
}

export interface PolicyTrace {
  policyId: string;
  policyName: string;
  version: number;
  ruleId: string;
  outcome: 'matched' | 'not_matched' | 'condition_false' | 'error';
  effect: PolicyEffect;
  /** Which part of `match` did not hold, or the error of the expression. */
  detail: string | null;
  /** The values that the expression saw, by their path, as text, cut to a length. */
  values: Record<string, string>;
}
