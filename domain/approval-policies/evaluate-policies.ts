import { withCheapErrors } from '../cel/environment.ts';
import type { Bindings } from '../cel/expression.ts';
import { bindFacts } from './expression-facts.ts';
import { EVALUATION_UNITS_MAX } from '../cel/limits.ts';
import { SeenValues } from './seen-values.ts';
import { matchesGlobs } from './globs.ts';
import { Meter, WorkBoundExceeded } from '../cel/meter.ts';
import type { CompiledPolicy, CompiledRule, PolicySet } from './policy-set.ts';
import { reasonOfAction, reasonOfEnvironment, reasonOfRule } from './reasons.ts';
import { DEFAULT_TERMS, strictestTerms } from './terms.ts';
import {
  POLICY_EFFECTS,
  type PolicyDefaults,
  type PolicyEffect,
  type PolicyFacts,
  type PolicyTrace,
  type PolicyVerdict,
} from './verdict.ts';

export { compilePolicySet, type PolicyInput, type PolicySet } from './policy-set.ts';

interface Decision {
  policy: CompiledPolicy;
  rule: CompiledRule;
  /** `deny` if the rule could not be evaluated. */
  effect: PolicyEffect;
  trace: PolicyTrace;
}

interface Evaluation {
  facts: PolicyFacts;
  bindings: Bindings;
  seen: SeenValues;
  meter: Meter;
  trace: PolicyTrace[];
}

/** First matching rule within a policy; strictest effect across them, then priority, then name. A cut-off denies. */
export function evaluatePolicies(set: PolicySet, facts: PolicyFacts, defaults: PolicyDefaults): PolicyVerdict {
  const meter = new Meter(EVALUATION_UNITS_MAX);
  const evaluation: Evaluation = {
    facts,
    bindings: bindFacts(facts, meter),
    seen: new SeenValues(facts),
    meter,
    trace: [],
  };
  const decisions = withCheapErrors(() => set.policies.flatMap((policy) => decide(policy, evaluation)));
  const first = strictest(decisions);
  if (first === undefined) return defaultVerdict(facts, defaults, evaluation.trace);
  return policyVerdict(first, decisions, evaluation.trace, facts);
}

/** Policies are in the order of precedence, so that the first of the strictest wins. */
function strictest(decisions: readonly Decision[]): Decision | undefined {
  const rank = ({ effect }: Decision): number => POLICY_EFFECTS.indexOf(effect);
  return decisions.reduce<Decision | undefined>(
    (best, decision) => (best === undefined || rank(decision) > rank(best) ? decision : best),
    undefined,
  );
}

function decide(policy: CompiledPolicy, evaluation: Evaluation): Decision[] {
  for (const rule of policy.rules) {
    const trace = traceRule(policy, rule, evaluation);
    evaluation.trace.push(trace);
    if (trace.outcome === 'matched') return [{ policy, rule, effect: rule.effect, trace }];
    if (trace.outcome === 'error') return [{ policy, rule, effect: 'deny', trace }];
  }
  return [];
}

function traceRule(policy: CompiledPolicy, rule: CompiledRule, evaluation: Evaluation): PolicyTrace {
  const seen = (
    outcome: PolicyTrace['outcome'],
    detail: string | null,
    values: PolicyTrace['values'] = {},
  ): PolicyTrace => ({
    policyId: policy.id,
    policyName: policy.name,
    version: policy.version,
    ruleId: rule.id,
    outcome,
    effect: rule.effect,
    detail,
    values,
  });
  try {
    evaluation.meter.charge(1);
    for (const { name, list, values } of rule.criteria) {
      const found = values(evaluation.facts);
      if (!matchesGlobs(list, found, evaluation.meter)) return seen('not_matched', mismatch(name, found, list.text));
    }
  } catch (error) {
    if (error instanceof WorkBoundExceeded) return seen('error', 'the policies are too much work for this request');
    throw error;
  }
  return traceCondition(rule, evaluation, seen);
}

function traceCondition(
  { condition }: CompiledRule,
  { bindings, seen: seenValues, meter }: Evaluation,
  seen: (outcome: PolicyTrace['outcome'], detail: string | null, values?: PolicyTrace['values']) => PolicyTrace,
): PolicyTrace {
  if (condition === null) return seen('matched', null);
  if ('message' in condition) return seen('error', `its condition ${condition.message}`);
  const evaluated = condition.evaluate(bindings, meter);
  const values = seenValues.of(condition.paths);
  if (!evaluated.ok) return seen('error', evaluated.message, values);
  if (evaluated.value === true) return seen('matched', null, values);
  if (evaluated.value === false) return seen('condition_false', `${condition.text} is false`, values);
  return seen('error', 'its condition is neither true nor false', values);
}

function mismatch(name: string, values: readonly (string | null)[], wanted: string): string {
  const found = values.filter((value) => value !== null);
  return `match.${name}: ${found.length === 0 ? 'there is none' : found.join(' or ')}, wanted ${wanted}`;
}

function policyVerdict(
  decision: Decision,
  all: readonly Decision[],
  trace: PolicyTrace[],
  { impact }: PolicyFacts,
): PolicyVerdict {
  const { policy, rule, effect } = decision;
  const others = all.filter((other) => other !== decision && other.effect === 'require_approval');
  const terms =
    effect === 'require_approval'
      ? strictestTerms(
          rule.terms ?? DEFAULT_TERMS,
          others.map((other) => other.rule.terms ?? DEFAULT_TERMS),
        )
      : null;
  const reason = reasonOfRule({ policy, rule, trace: decision.trace, terms, impact });
  const code = decision.trace.outcome === 'error' ? 'policy_evaluation_error' : 'policy_denied';
  return {
    effect,
    source: 'policy',
    policyId: policy.id,
    version: policy.version,
    ruleId: rule.id,
    terms,
    reason,
    refusal: effect === 'deny' ? { code, message: reason, details: { policyId: policy.id, ruleId: rule.id } } : null,
    trace,
  };
}

function defaultVerdict(facts: PolicyFacts, defaults: PolicyDefaults, trace: PolicyTrace[]): PolicyVerdict {
  const { action, environment } = facts;
  const byDefault = action.governed && environment.kind === 'production' ? 'require_approval' : 'allow';
  const isRequired = defaults.approvalRequired || (defaults.approvalDefault ?? byDefault) === 'require_approval';
  return {
    effect: isRequired ? 'require_approval' : 'allow',
    source: defaults.approvalRequired ? 'action' : 'environment',
    policyId: null,
    version: null,
    ruleId: null,
    terms: isRequired ? DEFAULT_TERMS : null,
    reason: defaults.approvalRequired ? reasonOfAction(facts) : reasonOfEnvironment(facts, defaults, isRequired),
    refusal: null,
    trace,
  };
}
