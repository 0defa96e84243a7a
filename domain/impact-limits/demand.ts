import type { ImpactQuantity } from '../actions.ts';
import { matchesGlob } from '../glob.ts';
import { parsePath, readPath } from '../json-path.ts';
import type { JsonObject } from '../json.ts';
import type { Refusal } from '../refusals.ts';
import { type LimitScope, type LimitTerms, unitText } from './limits.ts';

export interface ImpactFacts {
  impact: readonly ImpactQuantity[];
  actionName: string;
  adapterType: string;
  /** Null where no API key asked. */
  apiKeyId: string | null;
  agentId: string | null;
  target: JsonObject;
}

export interface NamedLimit extends LimitTerms {
  id: string;
  name: string;
}

export interface Demand<Limit> {
  limit: Limit;
  /** The sum of all quantities that the limit counts. A sum too large to be exact is above every cap too. */
  amount: number;
}

export interface Demands<Limit> {
  demands: Demand<Limit>[];
  /** For a quantity that no limit counts: the limits that would count it if it were in their currency. */
  otherCurrency: Limit[];
}

/** What an effect needs of each limit. Money is refused where limits are only in other currencies. */
export function demandsOn<Limit extends LimitTerms>(limits: readonly Limit[], facts: ImpactFacts): Demands<Limit> {
  const applying = limits.filter((limit) => appliesTo(limit.scope, facts));
  const amounts = new Map<Limit, number>();
  const otherCurrency = new Set<Limit>();
  for (const quantity of facts.impact) {
    if (quantity.amount === 0) continue;
    const ofDimension = applying.filter((limit) => limit.dimension === quantity.dimension);
    const counting = ofDimension.filter((limit) => limit.currency === (quantity.currency ?? null));
    for (const limit of counting) amounts.set(limit, (amounts.get(limit) ?? 0) + quantity.amount);
    if (counting.length === 0) for (const limit of ofDimension) otherCurrency.add(limit);
  }
  return {
    demands: [...amounts].map(([limit, amount]) => ({ limit, amount })),
    otherCurrency: [...otherCurrency],
  };
}

export function currencyMismatch(limit: NamedLimit, impact: readonly ImpactQuantity[]): Refusal {
  const used = impact.flatMap(({ dimension, currency }) => (dimension === limit.dimension ? [currency ?? 'none'] : []));
  return {
    code: 'currency_mismatch',
    message:
      `the impact limit "${limit.name}" (${limit.id}) counts ${limit.currency ?? 'no currency'}, this is in ` +
      `${[...new Set(used)].join(' and ')}, and no limit that applies counts that; make one for it`,
    details: { limitId: limit.id, ...(limit.currency === null ? {} : { currency: limit.currency }) },
  };
}

export interface ShortLimit extends NamedLimit {
  cap: number;
  available: number;
  requested: number;
  inPeriod: string;
  resetsAt: Date | null;
}

/** Names the first limit with too little left, and says how much it has. */
export function limitExceeded(short: readonly [ShortLimit, ...ShortLimit[]]): Refusal {
  const [first, ...more] = short;
  const when = first.period === 'per_effect' ? 'for one effect' : `in ${first.inPeriod}`;
  const next = first.resetsAt === null ? '' : `; the next period begins at ${first.resetsAt.toISOString()}`;
  const others =
    more.length === 0 ? '' : ` (${more.length} more of its limits: ${more.map((limit) => limit.id).join(', ')})`;
  return {
    code: 'impact_limit_exceeded',
    message:
      `the impact limit "${first.name}" (${first.id}) has ${first.available} of ${first.cap} ${unitText(first)} available ${when}, ` +
      `and ${first.requested} are needed${next}${others}`,
    details: {
      limitId: first.id,
      limitIds: short.map(({ id }) => id),
      available: first.available,
      requested: first.requested,
      // Every limit that is short must have its next period.
      ...(short.some(({ resetsAt }) => resetsAt === null) ? {} : { resumeAt: lastOf(short).toISOString() }),
    },
  };
}

function lastOf(short: readonly ShortLimit[]): Date {
  return new Date(Math.max(...short.map(({ resetsAt }) => resetsAt?.getTime() ?? 0)));
}

export function appliesTo(scope: LimitScope, facts: ImpactFacts): boolean {
  const { actions, adapters, apiKeys, agentIds, target } = scope;
  if (actions && !actions.some((pattern) => matchesGlob(pattern, facts.actionName))) return false;
  if (adapters && !adapters.some((pattern) => matchesGlob(pattern, facts.adapterType))) return false;
  if (apiKeys && (facts.apiKeyId === null || !apiKeys.includes(facts.apiKeyId))) return false;
  if (agentIds && (facts.agentId === null || !agentIds.includes(facts.agentId))) return false;
  if (!target) return true;
  const steps = parsePath(target.path);
  const found = steps === null ? null : readPath(facts.target, steps);
  return found?.found === true && found.value === target.equals;
}
