import { parsePolicyDocument, type PolicyDocument } from '../../../domain/approval-policies/document.ts';
import { compilePolicySet, evaluatePolicies } from '../../../domain/approval-policies/evaluate-policies.ts';
import { bindFacts } from '../../../domain/approval-policies/expression-facts.ts';
import { EVALUATION_UNITS_MAX } from '../../../domain/cel/limits.ts';
import { compileCondition } from '../../../domain/approval-policies/condition.ts';
import type { Evaluated } from '../../../domain/cel/expression.ts';
import { Meter } from '../../../domain/cel/meter.ts';
import type { PolicyDefaults, PolicyFacts, PolicyVerdict } from '../../../domain/approval-policies/verdict.ts';

export const FACTS: PolicyFacts = {
  input: {
    amount: 60_000,
    ratio: 0.5,
    currency: 'usd',
    items: [
      { id: 'a', count: 1 },
      { id: 'b', count: 2 },
    ],
    note: null,
  },
  impact: [
    { dimension: 'money', currency: 'usd', amount: 60_000, bound: 'exact' },
    { dimension: 'emails', amount: 2, bound: 'upper_bound' },
  ],
  action: { id: 'act_1', name: 'refund-customer', versionId: 'actv_1', governed: true, tag: 'money' },
  adapter: { type: 'stripe.refund', version: '1' },
  environment: { id: 'env_1', name: 'live', kind: 'production' },
  caller: { type: 'api_key', id: 'key_1', name: 'support-bot', agentId: 'agent-7' },
  run: { id: null },
  now: new Date('2026-03-29T01:30:00.250Z'),
};

export const NO_DEFAULTS: PolicyDefaults = { approvalRequired: false, approvalDefault: null };

export function documentOf(rules: object[], name = 'Refunds', priority = 0): PolicyDocument {
  const parsed = parsePolicyDocument({ schema: 'approval-policy/v1', name, priority, rules });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return parsed.document;
}

export interface TestPolicy {
  name?: string;
  priority?: number;
  rules: object[];
}

export function verdictOf(
  policies: TestPolicy[],
  facts: Partial<PolicyFacts> = {},
  defaults: Partial<PolicyDefaults> = {},
): PolicyVerdict {
  const set = compilePolicySet(
    policies.map(({ name = `Policy ${policies.length}`, priority = 0, rules }, index) => ({
      id: `pol_${index}`,
      name,
      priority,
      version: index + 1,
      document: documentOf(rules, name, priority),
    })),
  );
  return evaluatePolicies(set, { ...FACTS, ...facts }, { ...NO_DEFAULTS, ...defaults });
}

/** The reason why an expression cannot be used, or null. */
export function refusalOf(text: string): string | null {
  const compiled = compileCondition(text);
  return compiled.ok ? null : compiled.message;
}

export function evaluated(
  text: string,
  facts: Partial<PolicyFacts> = {},
  meter = new Meter(EVALUATION_UNITS_MAX),
): Evaluated {
  const compiled = compileCondition(text);
  if (!compiled.ok) throw new Error(`${text}: ${compiled.message}`);
  return compiled.expression.evaluate(bindFacts({ ...FACTS, ...facts }, meter), meter);
}
