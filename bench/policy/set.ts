import { parsePolicyDocument, type PolicyDocument } from '../../domain/approval-policies/document.ts';
import type { PolicyInput } from '../../domain/approval-policies/policy-set.ts';
import type { PolicyFacts } from '../../domain/approval-policies/verdict.ts';

const POLICIES = 20;
const RULES_EACH = 10;
export const RULES = POLICIES * RULES_EACH;

/** Ten conditions as people write them; `n` makes each rule's conditions distinct. All are false for the facts below. */
const CONDITIONS: readonly ((n: number) => string)[] = [
  (n) => `input.amount > ${1_000_000 + n}`,
  (n) => `environment.kind == "production" && input.amount > ${2_000_000 + n}`,
  (n) => `impact.exists(i, i.dimension == "money" && i.currency == "usd" && i.amount >= ${3_000_000 + n})`,
  (n) => `input.reason in ["fraud", "dispute", "test-${n}"]`,
  (n) => `has(input.metadata.override) && input.metadata.override == "${n}"`,
  (n) => `input.lines.exists(line, line.quantity > ${1_000 + n} || line.sku.startsWith("X-"))`,
  (n) => `input.customer.email.matches("^[a-z0-9._-]+@blocked${n}[.]example$")`,
  (n) => `caller.agentId != null && caller.agentId.startsWith("night-${n}")`,
  (n) => `now.getHours("Europe/Berlin") == 25 || input.amount == ${n}`,
  (n) => `input.lines.map(line, line.quantity).filter(quantity, quantity > ${n + 100}).size() > 2`,
];

/** 200 rules in 20 policies, each rule for `actions`; the last rule matches and requires an approval. */
export function policiesFor(actions: string): PolicyInput[] {
  return Array.from({ length: POLICIES }, (_, policy) => {
    const name = `Policy ${policy}`;
    const rules = CONDITIONS.map((condition, rule) => {
      const number = policy * RULES_EACH + rule;
      const isLast = number === RULES - 1;
      return {
        id: `rule-${number}`,
        match: { actions: [isLast ? 'refund-*' : actions], adapters: ['stripe.*', 'http.request'] },
        when: isLast ? 'input.amount > 50000' : condition(number),
        effect: 'require_approval',
        approval: { quorum: 2 },
      };
    });
    return { id: `pol_${policy}`, name, priority: 0, version: 1, document: documentOf(name, rules) };
  });
}

export function documentOf(name: string, rules: object[]): PolicyDocument {
  const parsed = parsePolicyDocument({ schema: 'approval-policy/v1', name, priority: 0, rules });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues.slice(0, 3)));
  return parsed.document;
}

export function factsOf(amount: number): PolicyFacts {
  return {
    input: {
      amount,
      reason: 'requested_by_customer',
      metadata: { ticket: 'T-1812' },
      customer: { id: 'cus_81', email: 'ann@example.com' },
      lines: Array.from({ length: 20 }, (_, index) => ({ sku: `A-${index}`, quantity: index % 5 })),
    },
    impact: [{ dimension: 'money', currency: 'usd', amount, bound: 'exact' }],
    action: { id: 'act_1', name: 'refund-customer', versionId: 'actv_1', governed: true, tag: 'money' },
    adapter: { type: 'stripe.refund', version: '1' },
    environment: { id: 'env_1', name: 'Production', kind: 'production' },
    caller: { type: 'api_key', id: 'key_1', name: 'support-bot', agentId: 'agent-7' },
    run: { id: null },
    now: new Date(),
  };
}
