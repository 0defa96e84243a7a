import type { VariablePath } from '../cel/paths.ts';
import { type ExactJson, isJsonObject, type Json } from '../json.ts';
import type { PathStep } from '../json-path.ts';
import type { PolicyFacts } from './verdict.ts';
import { cutText } from '../cut-text.ts';

const VALUE_CHARACTERS_MAX = 120;
const ABSENT = '(absent)';

/** The values that expressions read of some facts, by path, as JSON cut to a length. Each is serialized once. */
export class SeenValues {
  readonly #facts: PolicyFacts;
  readonly #shown = new Map<string, string>();

  constructor(facts: PolicyFacts) {
    this.#facts = facts;
  }

  of(paths: readonly VariablePath[]): Record<string, string> {
    return Object.fromEntries(paths.map((path) => [path.text, this.#show(path)]));
  }

  #show(path: VariablePath): string {
    const known = this.#shown.get(path.text);
    if (known !== undefined) return known;
    const shown = shownValue(path, this.#facts);
    this.#shown.set(path.text, shown);
    return shown;
  }
}

function shownValue({ variable, steps }: VariablePath, facts: PolicyFacts): string {
  if (variable === 'now') return facts.now.toISOString();
  let value: ExactJson | undefined = (facts as unknown as Record<string, ExactJson>)[variable];
  for (const step of steps) {
    const isMember = typeof step === 'number' ? Array.isArray(value) : isJsonObject(value);
    if (!isMember || !Object.hasOwn(value as object, step)) return ABSENT;
    value = (value as Record<PathStep, ExactJson>)[step];
  }
  return value === undefined ? ABSENT : shortJson(value);
}

/** As JSON, without serializing all of a long value. */
function shortJson(value: ExactJson): string {
  if (typeof value === 'bigint') return String(value);
  return cutText(JSON.stringify(sample(value, 4)), VALUE_CHARACTERS_MAX);
}

/** The beginning of a value: enough of it to fill the length that is shown. */
function sample(value: ExactJson, depth: number): Json {
  if (typeof value === 'bigint') return String(value);
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
