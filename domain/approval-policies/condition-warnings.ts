import { SchemaPaths, type PathAnswer } from '../actions/schema-paths.ts';
import { outcomesOf, type FactPath, type KnownFacts, type Outcomes, type Reading } from '../cel/outcomes.ts';
import { parseTree } from '../cel/tree.ts';
import { compileCondition } from './condition.ts';
import { ATTACHMENT_MEMBERS } from '../files/attachments.ts';
import type { GovernanceWarningCode } from '../governance-warnings.ts';
import type { InSteps } from '../in-steps.ts';
import type { JsonObject } from '../json.ts';
import { pathText, type PathStep } from '../json-path.ts';
import { didYouMean, dimensionsOf, type KnownAction } from '../impact-limits/known-names.ts';

export interface CheckedAction {
  action: KnownAction;
  /** Null when the schema was not read: the input then gives no warning. */
  paths: SchemaPaths | null;
}

export function checkedAction(action: KnownAction, inputSchema: JsonObject | undefined): CheckedAction {
  return { action, paths: inputSchema === undefined ? null : new SchemaPaths(inputSchema) };
}

export interface ConditionFinding {
  code: GovernanceWarningCode;
  message: string;
}

const ACTIONS_SHOWN_MAX = 3;

/**
 * What a condition reads that its rule's actions cannot have: unguarded, where one action lacks it (the evaluation
 * fails and denies); behind `has()` or `in`, where all lack it. Each action is a step.
 */
export function* conditionFindings(when: string, matched: readonly CheckedAction[]): InSteps<ConditionFinding[]> {
  const compiled = compileCondition(when);
  if (!compiled.ok) return []; // stored under earlier rules: it denies, and says why
  const tree = parseTree(when);
  const failing = new Map<string, Where>();
  const neverThere = new Map<string, Where>();
  const compared: Outcomes['compared'] = [];
  for (const checked of matched) {
    yield;
    const outcomes = outcomesOf(tree, new ActionFacts(checked));
    for (const path of outcomes.failing) note(failing, path, checked);
    for (const path of outcomes.neverThere) note(neverThere, path, checked);
    if (compared.length === 0) compared.push(...outcomes.compared);
  }
  const actions = matched.map(({ action }) => action);
  return [
    ...[...failing.values()].map(failingFinding),
    ...[...neverThere.entries()].flatMap(([key, where]) =>
      where.actions.length === matched.length && !failing.has(key) ? [neverThereFinding(where)] : [],
    ),
    ...compared.flatMap((one) => comparedFinding(one, actions)),
  ];
}

interface Where {
  path: FactPath;
  names: readonly string[];
  step: number;
  actions: KnownAction[];
}

function note(found: Map<string, Where>, path: FactPath, { action, paths }: CheckedAction): void {
  const key = textOf(path);
  const known = found.get(key);
  if (known !== undefined) {
    known.actions.push(action);
    return;
  }
  const answer = paths?.answer(path.steps);
  const [names, step] = answer?.kind === 'impossible' ? [answer.names, answer.step] : [[], 0];
  found.set(key, { path, names, step, actions: [action] });
}

function failingFinding(where: Where): ConditionFinding {
  const { path, actions } = where;
  const message = `reads ${textOf(path)}, which ${listed(actions)} cannot have: evaluating it fails, which denies${meant(where)}`;
  return { code: 'impossible_member', message };
}

function neverThereFinding(where: Where): ConditionFinding {
  const message = `looks for ${textOf(where.path)}, which no action that the rule matches can have${meant(where)}`;
  return { code: 'impossible_member', message };
}

function meant({ path, names, step }: Where): string {
  const wanted = path.steps[step];
  return typeof wanted === 'string' ? didYouMean(wanted, names) : '';
}

function listed(actions: readonly KnownAction[]): string {
  const names = actions.slice(0, ACTIONS_SHOWN_MAX).map(({ name }) => name);
  const more = actions.length - names.length;
  return more === 0 ? names.join(', ') : `${names.join(', ')} and ${more} more`;
}

const textOf = ({ variable, steps }: FactPath): string => pathText(variable, steps);

/** Literals that a condition compares with a name: one that no matched action has decides nothing. */
function comparedFinding(
  { path, text }: Outcomes['compared'][number],
  actions: readonly KnownAction[],
): ConditionFinding[] {
  const shown = textOf(path);
  const kind = COMPARED[/^impact\[\d+\]\.dimension$/.test(shown) ? 'impact.dimension' : shown];
  if (kind === undefined) return [];
  const known = new Set(actions.flatMap(kind.valuesOf));
  if (known.has(text)) return [];
  const message = `compares ${shown} with ${JSON.stringify(text)}, which no action that the rule matches has${didYouMean(text, known)}`;
  return [{ code: kind.code, message }];
}

const COMPARED: Readonly<
  Record<string, { code: GovernanceWarningCode; valuesOf: (action: KnownAction) => readonly string[] }>
> = {
  'action.name': { code: 'matches_no_action', valuesOf: ({ name }) => [name] },
  'action.tag': { code: 'matches_no_tag', valuesOf: ({ tag }) => (tag === null ? [] : [tag]) },
  'adapter.type': { code: 'matches_no_adapter', valuesOf: ({ adapterType }) => [adapterType] },
  'impact.dimension': { code: 'unknown_dimension', valuesOf: dimensionsOf },
};

class ActionFacts implements KnownFacts {
  readonly #checked: CheckedAction;

  constructor(checked: CheckedAction) {
    this.#checked = checked;
  }

  read({ variable, steps }: FactPath): Reading {
    const { action, paths } = this.#checked;
    if (variable === 'input') return paths === null ? { kind: 'unknown' } : readInput(paths, steps);
    const shown = pathText(variable, steps);
    if (shown === 'action.name') return { kind: 'known', value: action.name };
    if (shown === 'action.tag' && action.tag !== null) return { kind: 'known', value: action.tag };
    return shown === 'adapter.type' ? { kind: 'known', value: action.adapterType } : { kind: 'unknown' };
  }

  isList({ variable, steps }: FactPath): boolean {
    if (variable === 'impact') return steps.length === 0;
    const answer = variable === 'input' ? this.#checked.paths?.answer(steps) : undefined;
    return answer?.kind === 'described' && answer.types?.size === 1 && answer.types.has('array');
  }
}

function readInput(paths: SchemaPaths, steps: readonly PathStep[]): Reading {
  const answer = paths.answer(steps);
  if (answer.kind !== 'impossible' || isOfFile(paths, steps, answer)) return { kind: 'unknown' };
  return { kind: 'missing', step: answer.step, why: answer.why };
}

/** The id of a file in the input becomes an object with what the file is, which the schema does not describe. */
function isOfFile(
  paths: SchemaPaths,
  steps: readonly PathStep[],
  { step }: PathAnswer & { kind: 'impossible' },
): boolean {
  if (step !== steps.length - 1 || !ATTACHMENT_MEMBERS.some((name) => name === steps[step])) return false;
  const holder = paths.answer(steps.slice(0, -1));
  return holder.kind === 'described' && (holder.types === null || holder.types.has('string'));
}
