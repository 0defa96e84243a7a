import { GOVERNANCE_WARNINGS_MAX, type GovernanceWarning, type GovernanceWarningCode } from '../governance-warnings.ts';
import {
  actionsOf,
  didYouMean,
  dimensionsOf,
  type KnownAction,
  type KnownNames,
  matchesAny,
  mayUseCurrency,
} from './known-names.ts';
import { MONEY, type LimitTerms } from './limits.ts';

type CheckedTerms = Pick<LimitTerms, 'dimension' | 'currency' | 'scope'>;

/** What of a limit's scope and dimension fits nothing that the environment has. Agents and targets are not known beforehand. */
export function limitWarnings(limit: CheckedTerms, { actions, keys }: KnownNames): GovernanceWarning[] {
  const warnings: GovernanceWarning[] = [];
  const { apiKeys = [] } = limit.scope;
  for (const [index, id] of apiKeys.entries()) {
    if (keys.some((key) => key.id === id)) continue;
    const message = `is no active key of this environment: ${id}`;
    warnings.push({ path: `scope.apiKeys[${index}]`, code: 'matches_no_key', message });
  }
  if (actions !== null) warnings.push(...scopeWarnings(limit, actions));
  return warnings.slice(0, GOVERNANCE_WARNINGS_MAX);
}

function scopeWarnings(limit: CheckedTerms, actions: readonly KnownAction[]): GovernanceWarning[] {
  const { scope } = limit;
  const names = actions.map(({ name }) => name);
  const types = actions.map(({ adapterType }) => adapterType);
  const unmatched = [
    ...unmatchedOf('scope.actions', 'matches_no_action', scope.actions, names),
    ...unmatchedOf('scope.adapters', 'matches_no_adapter', scope.adapters, types),
  ];
  const applicable = actionsOf(actions, scope);
  if (applicable.length === 0) {
    // Everything is told that is needed where a pattern alone matches nothing.
    if (unmatched.length > 0) return unmatched;
    const nothing = { path: 'scope', code: 'matches_no_action' } as const;
    if (actions.length > 0) return [{ ...nothing, message: 'no action has both a name and an adapter of these' }];
  }
  return [...unmatched, ...dimensionWarnings(limit, applicable, actions)];
}

export function unmatchedOf(
  path: string,
  code: GovernanceWarningCode,
  patterns: readonly string[] | undefined,
  names: readonly string[],
): GovernanceWarning[] {
  const known = new Set(names);
  let suggestionsLeft = Math.max(1, Math.floor(NAMES_COMPARED_MAX / (known.size + 1)));
  return (patterns ?? []).flatMap((pattern, index): GovernanceWarning[] => {
    const isMatched = /[*?]/.test(pattern) ? matchesAny([pattern], [...known]) : known.has(pattern);
    if (isMatched) return [];
    const near = suggestionsLeft-- > 0 ? nearPattern(pattern, known) : '';
    return [{ path: `${path}[${index}]`, code, message: `${pattern} ${MATCHES[code] ?? ''}${near}` }];
  });
}

/** Suggestions for the patterns of one list: so many names are compared, or those for one pattern. They take the event loop. */
const NAMES_COMPARED_MAX = 2_000;

/** For `refnd.*` the beginnings of the names are compared, and `refund.*` is suggested. */
function nearPattern(pattern: string, names: ReadonlySet<string>): string {
  const stem = /^([^*?]+)\*+$/.exec(pattern)?.[1];
  if (stem === undefined) return didYouMean(pattern, names);
  const lengths = [stem.length - 1, stem.length, stem.length + 1];
  const beginnings = [...names].flatMap((name) => {
    if (!stem.endsWith('.')) return lengths.map((length) => name.slice(0, length));
    const parts = name.split('.').slice(0, stem.split('.').length - 1);
    return [`${parts.join('.')}.`];
  });
  return didYouMean(stem, beginnings, '*');
}

const MATCHES: Partial<Record<GovernanceWarningCode, string>> = {
  matches_no_action: 'matches no action of this environment',
  matches_no_adapter: 'is the adapter of no action of this environment',
  matches_no_tag: 'is the tag of no action of this environment',
};

function dimensionWarnings(
  { dimension, currency }: CheckedTerms,
  applicable: readonly KnownAction[],
  actions: readonly KnownAction[],
): GovernanceWarning[] {
  const using = applicable.filter((action) => dimensionsOf(action).includes(dimension));
  if (using.length === 0) {
    const near = didYouMean(
      dimension,
      actions.flatMap(dimensionsOf).filter((other) => other !== dimension),
    );
    const message = `no action that the limit applies to declares an impact in ${dimension}${near}`;
    return [{ path: 'dimension', code: 'unknown_dimension', message }];
  }
  if (dimension !== MONEY || currency === null || using.some((action) => mayUseCurrency(action, currency))) return [];
  const declared = using.flatMap(({ impact }) => impact.flatMap((one) => one.currency ?? []));
  const message = `no action that the limit applies to declares money in ${currency}; they declare ${[...new Set(declared)].join(', ')}`;
  return [{ path: 'currency', code: 'unknown_currency', message }];
}
