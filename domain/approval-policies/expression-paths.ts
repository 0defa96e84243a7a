import { isJsonObject, type Json } from '../json.ts';
import { pathText, type PathStep } from '../json-path.ts';
import { FACT_TYPES } from './expression-facts.ts';
import { operandsOf, OPERATOR, type Expr } from './expression-tree.ts';
import type { PolicyFacts } from './verdict.ts';

/** A part of the facts that an expression looks at, for example `input.items[0].id`. */
export interface FactPath {
  text: string;
  variable: string;
  steps: readonly PathStep[];
}

export const PATHS_MAX = 20;
const VALUE_CHARACTERS_MAX = 120;
export const ABSENT = '(absent)';

/** The longest chains of members and constant indices from a variable, each once, in the order in which they are written. */
export function pathsOf(expr: Expr): FactPath[] {
  const found = new Map<string, FactPath>();
  collect(expr, new Set(), found);
  return [...found.values()].slice(0, PATHS_MAX);
}

function collect(expr: Expr, shadowed: ReadonlySet<string>, found: Map<string, FactPath>): void {
  const chain = chainOf(expr);
  if (chain !== null) {
    if (!FACT_TYPES.has(chain.variable) || shadowed.has(chain.variable)) return;
    const text = pathText(chain.variable, chain.steps);
    if (!found.has(text)) found.set(text, { text, ...chain });
    return;
  }
  const kind = expr.exprKind;
  if (kind.case !== 'comprehensionExpr') {
    for (const operand of operandsOf(expr)) collect(operand, shadowed, found);
    return;
  }
  const inside = new Set(shadowed).add(kind.value.iterVar);
  const { iterRange, loopStep } = kind.value;
  if (iterRange !== undefined) collect(iterRange, shadowed, found);
  if (loopStep !== undefined) collect(loopStep, inside, found);
}

function chainOf(expr: Expr): { variable: string; steps: PathStep[] } | null {
  const kind = expr.exprKind;
  if (kind.case === 'identExpr') return { variable: kind.value.name, steps: [] };
  if (kind.case === 'selectExpr') return extended(kind.value.operand, kind.value.field);
  if (kind.case !== 'callExpr' || kind.value.function !== OPERATOR.index) return null;
  const [container, key] = kind.value.args;
  const constant = key?.exprKind.case === 'constExpr' ? key.exprKind.value.constantKind : undefined;
  if (constant?.case === 'stringValue') return extended(container, constant.value);
  return constant?.case === 'int64Value' ? extended(container, Number(constant.value)) : null;
}

function extended(operand: Expr | undefined, step: PathStep): { variable: string; steps: PathStep[] } | null {
  const chain = operand === undefined ? null : chainOf(operand);
  return chain === null ? null : { variable: chain.variable, steps: [...chain.steps, step] };
}

/** The values that expressions saw of some facts, by their path, as JSON, cut to a length. Each is written out once. */
export class SeenValues {
  readonly #facts: PolicyFacts;
  readonly #shown = new Map<string, string>();

  constructor(facts: PolicyFacts) {
    this.#facts = facts;
  }

  of(paths: readonly FactPath[]): Record<string, string> {
    return Object.fromEntries(paths.map((path) => [path.text, this.#show(path)]));
  }

  #show(path: FactPath): string {
    const known = this.#shown.get(path.text);
    if (known !== undefined) return known;
    const shown = shownValue(path, this.#facts);
    this.#shown.set(path.text, shown);
    return shown;
  }
}

function shownValue({ variable, steps }: FactPath, facts: PolicyFacts): string {
  if (variable === 'now') return facts.now.toISOString();
  let value: Json | undefined = (facts as unknown as Record<string, Json>)[variable];
  for (const step of steps) {
    const isMember = typeof step === 'number' ? Array.isArray(value) : isJsonObject(value);
    if (!isMember || !Object.hasOwn(value as object, step)) return ABSENT;
    value = (value as Record<PathStep, Json>)[step];
  }
  return value === undefined ? ABSENT : shortJson(value);
}

/** As JSON, without writing a long value out first. */
function shortJson(value: Json): string {
  const text = JSON.stringify(sample(value, 4));
  return text.length <= VALUE_CHARACTERS_MAX ? text : `${text.slice(0, VALUE_CHARACTERS_MAX - 1)}…`;
}

/** The beginning of a value: enough of it to fill the length that is shown. */
function sample(value: Json, depth: number): Json {
  if (typeof value === 'string') return value.slice(0, VALUE_CHARACTERS_MAX);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) return '…';
  if (Array.isArray(value)) {
    const items = value.slice(0, 20).map((item) => sample(item, depth - 1));
    return value.length > 20 ? [...items, '…'] : items;
  }
  const members: [string, Json][] = [];
  for (const name in value) {
    if (!Object.hasOwn(value, name)) continue;
    if (members.length === 20) break;
    members.push([name.slice(0, VALUE_CHARACTERS_MAX), sample(value[name] ?? null, depth - 1)]);
  }
  return Object.fromEntries(members);
}
