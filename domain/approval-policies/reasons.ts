import type { ImpactQuantity } from '../actions.ts';
import { impactText } from '../impact.ts';
import type { CompiledPolicy, CompiledRule } from './policy-set.ts';
import type { ApprovalTerms, PolicyDefaults, PolicyFacts, PolicyTrace } from './verdict.ts';
import { cutText } from '../cut-text.ts';

const VALUES_SHOWN = 3;
const VALUE_CHARACTERS_MAX = 60;

interface Reasoned {
  policy: CompiledPolicy;
  rule: CompiledRule;
  trace: PolicyTrace;
  terms: ApprovalTerms | null;
  impact: readonly ImpactQuantity[];
}

/** "Rule large-refunds of policy Refunds requires 2 approvals: input.amount is 60000." */
export function reasonOfRule({ policy, rule, trace, terms, impact }: Reasoned): string {
  const subject = `Rule ${rule.id} of policy ${policy.name}`;
  if (trace.outcome === 'error') return `${subject} could not be evaluated, so that it is denied: ${trace.detail}.`;
  const seen = shownValues(trace.values, impact);
  const verb = {
    allow: 'allows it',
    deny: 'denies it',
    require_approval: `requires ${countOf(terms?.quorum ?? 1)}`,
  }[rule.effect];
  return `${subject} ${verb}${seen === '' ? '' : `: ${seen}`}.`;
}

/** The parts of the facts that the condition read, those with a single value first. The impact as a whole is said in words. */
function shownValues(values: Readonly<Record<string, string>>, impact: readonly ImpactQuantity[]): string {
  const entries = Object.entries(values);
  const isWhole = ([, value]: [string, string]): boolean => value.startsWith('{') || value.startsWith('[');
  const ordered = [...entries.filter((entry) => !isWhole(entry)), ...entries.filter(isWhole)];
  return ordered
    .slice(0, VALUES_SHOWN)
    .map(([path, value]) => {
      const words = path === 'impact' ? impactText(impact) : '';
      return words === '' ? `${path} is ${cutText(value, VALUE_CHARACTERS_MAX)}` : words;
    })
    .join(', ');
}

function countOf(quorum: number): string {
  return quorum === 1 ? 'an approval' : `${quorum} approvals`;
}

export function reasonOfAction({ action }: PolicyFacts): string {
  return `Action ${action.name} itself requires an approval, and no policy has a rule for this request.`;
}

export function reasonOfEnvironment(
  { action, environment }: PolicyFacts,
  { approvalDefault }: PolicyDefaults,
  isRequired: boolean,
): string {
  const verb = isRequired ? 'requires an approval' : 'allows it';
  if (approvalDefault !== null)
    return `No policy has a rule for this request, and environment ${environment.name} ${verb} by default.`;
  const kind = isRequired
    ? `a governed action requires an approval in production`
    : `${action.governed ? 'a governed action' : 'an action that is not governed'} is allowed in ${environment.kind}`;
  return `No policy has a rule for this request, and by default ${kind}.`;
}
