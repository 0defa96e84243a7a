import { atOnce, type InSteps } from '../in-steps.ts';
import type { PolicyDocument, PolicyRule } from './document.ts';
import type { CompiledExpression } from '../cel/expression.ts';
import { compileCondition } from './condition.ts';
import { compileGlobs, type GlobList } from './globs.ts';
import { termsOfRule } from './terms.ts';
import type { ApprovalTerms, PolicyEffect, PolicyFacts } from './verdict.ts';

export interface PolicyInput {
  id: string;
  name: string;
  priority: number;
  version: number;
  document: PolicyDocument;
}

/** Policies ready to be evaluated. Immutable: keep it for as long as the policies' revision is the same. */
export interface PolicySet {
  /** In the order in which ties are decided. */
  policies: readonly CompiledPolicy[];
}

export interface CompiledPolicy {
  id: string;
  name: string;
  priority: number;
  version: number;
  rules: readonly CompiledRule[];
}

export interface CompiledRule {
  id: string;
  effect: PolicyEffect;
  criteria: readonly Criterion[];
  condition: Condition | null;
  /** Null unless the effect is `require_approval`. */
  terms: ApprovalTerms | null;
}

/** A condition that no longer compiles fails when it is evaluated: the policy then denies. */
export type Condition = CompiledExpression | { text: string; message: string };

export interface Criterion {
  name: keyof PolicyRule['match'];
  list: GlobList;
  values(facts: PolicyFacts): readonly (string | null)[];
}

const VALUES: Readonly<Record<Criterion['name'], Criterion['values']>> = {
  actions: ({ action }) => [action.name],
  adapters: ({ adapter }) => [adapter.type],
  agents: ({ caller }) => [caller.agentId],
  keys: ({ caller }) => (caller.type === 'api_key' ? [caller.id, caller.name] : []),
  tags: ({ action }) => [action.tag],
};
const CRITERIA = Object.keys(VALUES) as Criterion['name'][];

/** Each rule is a step: compiling the conditions of a whole environment is a second of work. */
export function* policySetInSteps(policies: readonly PolicyInput[]): InSteps<PolicySet> {
  const compiled: CompiledPolicy[] = [];
  for (const { id, name, priority, version, document } of [...policies].sort(byPrecedence)) {
    const rules: CompiledRule[] = [];
    for (const rule of document.rules) {
      rules.push(compileRule(rule));
      yield;
    }
    compiled.push({ id, name, priority, version, rules });
  }
  return { policies: compiled };
}

export function compilePolicySet(policies: readonly PolicyInput[]): PolicySet {
  return atOnce(policySetInSteps(policies));
}

/** Higher priority first, then by name, then by id, whatever the order in which the database returned them. */
function byPrecedence(left: PolicyInput, right: PolicyInput): number {
  return right.priority - left.priority || compareTexts(left.name, right.name) || compareTexts(left.id, right.id);
}

function compareTexts(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

function compileRule(rule: PolicyRule): CompiledRule {
  return {
    id: rule.id,
    effect: rule.effect,
    criteria: CRITERIA.flatMap((name) => {
      const patterns = rule.match[name];
      return patterns === undefined ? [] : [{ name, list: compileGlobs(patterns), values: VALUES[name] }];
    }),
    condition: rule.when === undefined ? null : conditionOf(rule.when),
    terms: rule.effect === 'require_approval' ? termsOfRule(rule.approval) : null,
  };
}

function conditionOf(text: string): Condition {
  const compiled = compileCondition(text);
  return compiled.ok ? compiled.expression : { text, message: compiled.message };
}
