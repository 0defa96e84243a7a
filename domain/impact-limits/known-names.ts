import type { ImpactDeclaration } from '../actions.ts';
import { findDescriptor } from '../adapters/index.ts';
import { matchesGlob } from '../glob.ts';
import { MONEY } from './limits.ts';
import { nearNames } from '../near-names.ts';

export interface KnownNames {
  /** The live actions. Null when there are too many to compare with; actions are not checked then. */
  actions: readonly KnownAction[] | null;
  /** The keys that are neither revoked nor expired. */
  keys: readonly { id: string; name: string; canDecide: boolean }[];
  members: readonly { id: string; email: string; role: string }[];
}

export interface KnownAction {
  name: string;
  tag: string | null;
  adapterType: string;
  adapterVersion: string;
  impact: readonly Pick<ImpactDeclaration, 'dimension' | 'currency'>[];
}

export const KNOWN_ACTIONS_MAX = 5_000;

/** The near names of one that does not exist, as the end of a message. */
export function didYouMean(wanted: string, names: Iterable<string>, end = ''): string {
  const near = nearNames(wanted, [...new Set(names)]).map((name) => `${name}${end}`);
  return near.length === 0 ? '' : `; did you mean ${near.join(' or ')}?`;
}

export function matchesAny(patterns: readonly string[], values: readonly (string | null)[]): boolean {
  return values.some((value) => value !== null && patterns.some((pattern) => matchesGlob(pattern, value)));
}

/** The actions that both lists of patterns match; a list that is left out matches all. */
export function actionsOf(
  actions: readonly KnownAction[],
  match: { actions?: string[] | undefined; adapters?: string[] | undefined; tags?: string[] | undefined },
): KnownAction[] {
  return actions.filter(
    ({ name, adapterType, tag }) =>
      (match.actions === undefined || matchesAny(match.actions, [name])) &&
      (match.adapters === undefined || matchesAny(match.adapters, [adapterType])) &&
      (match.tags === undefined || matchesAny(match.tags, [tag])),
  );
}

export function dimensionsOf({ impact, adapterType, adapterVersion }: KnownAction): string[] {
  const own = findDescriptor(adapterType, adapterVersion)?.impactDimensions ?? [];
  return [...impact.map(({ dimension }) => dimension), ...own];
}

export function mayUseCurrency(action: KnownAction, currency: string): boolean {
  const declared = action.impact.flatMap((one) => (one.dimension === MONEY ? [one.currency] : []));
  if (declared.length > 0) return declared.includes(currency);
  return dimensionsOf(action).includes(MONEY);
}
