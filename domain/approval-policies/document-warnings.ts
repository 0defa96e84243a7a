import { GOVERNANCE_WARNINGS_MAX, type GovernanceWarning, type GovernanceWarningCode } from '../governance-warnings.ts';
import { unmatchedOf } from '../impact-limits/limit-warnings.ts';
import type { InSteps } from '../in-steps.ts';
import type { JsonObject } from '../json.ts';
import { actionsOf, didYouMean, matchesAny, type KnownAction, type KnownNames } from '../impact-limits/known-names.ts';
import { checkedAction, conditionFindings, type CheckedAction } from './condition-warnings.ts';
import type { PolicyDocument, PolicyRule } from './document.ts';

/** Work for one reply: comparisons of a pattern with a name, and evaluations of a condition for an action. Nothing is said beyond. */
const COMPARISONS_MAX = 1_000_000;
const EVALUATIONS_MAX = 2_000;

export interface PlacedDocument {
  document: PolicyDocument;
  path: string;
}

export interface PolicyWorld {
  names: KnownNames;
  /** By the name of the action; those that were not read are not there. */
  inputSchemas: ReadonlyMap<string, JsonObject>;
}

/**
 * What in policy documents fits nothing of the environment. Each rule and condition is a step. Agents are not known.
 */
export function* documentWarnings(
  documents: readonly PlacedDocument[],
  world: PolicyWorld,
): InSteps<GovernanceWarning[]> {
  const warnings: GovernanceWarning[] = [];
  const look = new Look(world);
  for (const { document, path } of documents) {
    for (const [index, rule] of document.rules.entries()) {
      yield;
      if (warnings.length >= GOVERNANCE_WARNINGS_MAX) return warnings.slice(0, GOVERNANCE_WARNINGS_MAX);
      warnings.push(...(yield* look.rule(rule, `${path}.rules[${index}]`)));
    }
  }
  return warnings.slice(0, GOVERNANCE_WARNINGS_MAX);
}

class Look {
  readonly #world: PolicyWorld;
  readonly #checked = new Map<string, CheckedAction>();
  readonly #values: Readonly<Record<'actions' | 'adapters' | 'tags', readonly string[]>>;
  #comparisonsLeft = COMPARISONS_MAX;
  #evaluationsLeft = EVALUATIONS_MAX;

  constructor(world: PolicyWorld) {
    this.#world = world;
    const actions = world.names.actions ?? [];
    this.#values = {
      actions: actions.map(({ name }) => name),
      adapters: [...new Set(actions.map(({ adapterType }) => adapterType))],
      tags: [...new Set(actions.flatMap(({ tag }) => tag ?? []))],
    };
  }

  *rule(rule: PolicyRule, path: string): InSteps<GovernanceWarning[]> {
    const { actions } = this.#world.names;
    const people = [...this.#keys(rule, path), ...this.#approvers(rule, path)];
    if (actions === null || !this.#mayCompare(rule, actions.length)) return people;
    const unmatched = CRITERIA.flatMap(([name, code]) =>
      unmatchedOf(`${path}.match.${name}`, code, rule.match[name], this.#values[name]),
    );
    yield;
    const matched = actionsOf(actions, rule.match);
    const nothing =
      matched.length === 0 && unmatched.length === 0 && actions.length > 0
        ? [{ path: `${path}.match`, code: 'matches_no_action' as const, message: 'no action fits all parts of it' }]
        : [];
    return [...unmatched, ...nothing, ...people, ...(yield* this.#condition(rule, path, matched))];
  }

  *#condition({ when }: PolicyRule, path: string, matched: readonly KnownAction[]): InSteps<GovernanceWarning[]> {
    if (when === undefined || matched.length === 0 || matched.length > this.#evaluationsLeft) return [];
    this.#evaluationsLeft -= matched.length;
    const findings = yield* conditionFindings(
      when,
      matched.map((action) => this.#checkedOf(action)),
    );
    return findings.map((finding) => ({ path: `${path}.when`, ...finding }));
  }

  /** One for the whole reply: its walks share one budget. */
  #checkedOf(action: KnownAction): CheckedAction {
    const known = this.#checked.get(action.name) ?? checkedAction(action, this.#world.inputSchemas.get(action.name));
    this.#checked.set(action.name, known);
    return known;
  }

  #mayCompare({ match }: PolicyRule, actions: number): boolean {
    const patterns = [match.actions, match.adapters, match.tags].reduce((sum, list) => sum + (list?.length ?? 0), 0);
    // Once to find what matches nothing, once for all together.
    this.#comparisonsLeft -= 2 * patterns * actions;
    return this.#comparisonsLeft >= 0;
  }

  #keys({ match }: PolicyRule, path: string): GovernanceWarning[] {
    const { keys } = this.#world.names;
    return (match.keys ?? []).flatMap((pattern, index): GovernanceWarning[] => {
      if (keys.some(({ id, name }) => matchesAny([pattern], [id, name]))) return [];
      const near = didYouMean(
        pattern,
        keys.map(({ name }) => name),
      );
      const message = `${pattern} matches no active key of this environment${near}`;
      return [{ path: `${path}.match.keys[${index}]`, code: 'matches_no_key', message }];
    });
  }

  /** A role may have no holder, as long as somebody else on the list can approve. */
  #approvers({ approval }: PolicyRule, path: string): GovernanceWarning[] {
    const { keys, members } = this.#world.names;
    const { roles = [], users = [], keys: keyNames = [] } = approval?.approvers ?? {};
    const at = `${path}.approval.approvers`;
    const noMember = (list: string, index: number, message: string): GovernanceWarning[] => [
      { path: `${at}.${list}[${index}]`, code: 'matches_no_member', message },
    ];
    const ofUsers = users.flatMap((user, index) => {
      if (members.some(({ id, email }) => id === user || email.toLowerCase() === user.toLowerCase())) return [];
      const emails = members.map(({ email }) => email);
      return noMember('users', index, `${user} is no member of the workspace${didYouMean(user, emails)}`);
    });
    const ofKeys = keyNames.flatMap((wanted, index): GovernanceWarning[] => {
      const named = keys.filter(({ id, name }) => id === wanted || name === wanted);
      if (named.some(({ canDecide }) => canDecide)) return [];
      const names = keys.map(({ name }) => name);
      const message =
        named.length > 0
          ? `${wanted} is a key without the scope approvals:decide`
          : `${wanted} is no active key of this environment${didYouMean(wanted, names)}`;
      return [{ path: `${at}.keys[${index}]`, code: 'matches_no_key', message }];
    });
    const hasOthers = users.length + keyNames.length > ofUsers.length + ofKeys.length;
    const hasHolder = members.some(({ role }) => roles.some((wanted) => wanted === role));
    const ofRoles =
      hasOthers || hasHolder ? [] : roles.flatMap((role, index) => noMember('roles', index, `no member is ${role}`));
    return [...ofRoles, ...ofUsers, ...ofKeys];
  }
}

const CRITERIA = [
  ['actions', 'matches_no_action'],
  ['adapters', 'matches_no_adapter'],
  ['tags', 'matches_no_tag'],
] as const satisfies readonly (readonly [string, GovernanceWarningCode])[];
