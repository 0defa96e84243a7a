import { isJsonObject, listOf, type Json, type JsonObject } from '../json.ts';
import type { PathStep } from '../json-path.ts';
import { referredIn } from '../json-pointer.ts';

/** What a JSON Schema says of a path into the values that fit it. */
export type PathAnswer =
  /** `required`: every value has it. `types`: of the value there, where they are known. */
  | { kind: 'described'; required: boolean; types: ReadonlySet<string> | null }
  /** The schema neither describes nor forbids it. */
  | { kind: 'open'; required: boolean }
  /** No value has it. `step` is the index of the first step that cannot be taken; `names` are the members that there are. */
  | { kind: 'impossible'; step: number; why: 'closed' | 'no_container'; names: string[] };

/** Beyond so many schema nodes nothing is claimed: schemas are other people's programs, and this runs on the event loop. */
const NODES_MAX = 20_000;
/** A schema that refers to itself could exhaust the stack long before. */
const DEPTH_MAX = 200;

/** Nothing can be said: neither a mistake nor a warning follows. */
const UNTOLD: PathAnswer = { kind: 'described', required: true, types: null };
const OPEN: PathAnswer = { kind: 'open', required: false };

/** Keywords beside which `unevaluatedProperties` closes nothing that can be told from the node alone. */
const APPLICATORS = ['$ref', '$dynamicRef', 'allOf', 'anyOf', 'oneOf', 'if', 'dependentSchemas', 'patternProperties'];

/** Answers about paths of one schema. `impossible` is proved. Every walk draws on one budget of nodes. */
export class SchemaPaths {
  readonly #root: JsonObject;
  #nodesLeft = NODES_MAX;
  #depth = 0;

  constructor(root: JsonObject) {
    this.#root = root;
  }

  answer(steps: readonly PathStep[]): PathAnswer {
    return this.#look(this.#root, steps, 0);
  }

  #look(node: Json | undefined, steps: readonly PathStep[], at: number): PathAnswer {
    if (this.#nodesLeft-- <= 0 || this.#depth >= DEPTH_MAX) return UNTOLD;
    this.#depth++;
    const answer = this.#lookInto(node, steps, at);
    this.#depth--;
    return answer;
  }

  #lookInto(node: Json | undefined, steps: readonly PathStep[], at: number): PathAnswer {
    if (node === true) return at === steps.length ? { kind: 'described', required: true, types: null } : OPEN;
    if (node === false) return { kind: 'impossible', step: Math.max(0, at - 1), why: 'closed', names: [] };
    if (!isJsonObject(node)) return UNTOLD;
    const answers = [this.#own(node, steps, at)];
    if (typeof node['$ref'] === 'string') answers.push(this.#referred(node['$ref'], steps, at));
    if ('$dynamicRef' in node) answers.push(UNTOLD);
    for (const member of listOf(node['allOf'])) answers.push(this.#look(member, steps, at));
    for (const keyword of ['anyOf', 'oneOf'] as const) {
      const branches = listOf(node[keyword]);
      if (branches.length > 0) answers.push(either(branches.map((branch) => this.#look(branch, steps, at))));
    }
    const conditional = [node['then'], node['else'], ...valuesOf(node['dependentSchemas'])];
    const inSome = conditional.some((one) => isJsonObject(one) && this.#look(one, steps, at).kind === 'described');
    if (inSome && at < steps.length) answers.push({ kind: 'described', required: false, types: null });
    return all(answers);
  }

  #referred(reference: string, steps: readonly PathStep[], at: number): PathAnswer {
    const target = referredIn(this.#root, reference);
    return target === undefined ? UNTOLD : this.#look(target, steps, at);
  }

  /** What the keywords of the node itself say, those that apply other schemas to the same value left out. */
  #own(node: JsonObject, steps: readonly PathStep[], at: number): PathAnswer {
    const step = steps[at];
    if (step === undefined) return { kind: 'described', required: true, types: typesOf(node) };
    if ('const' in node || 'enum' in node) return UNTOLD;
    const types = typesOf(node);
    if (types !== null && !types.has(typeof step === 'number' ? 'array' : 'object')) {
      return { kind: 'impossible', step: at, why: 'no_container', names: [] };
    }
    return typeof step === 'number' ? this.#item(node, step, steps, at) : this.#member(node, step, steps, at);
  }

  #member(node: JsonObject, name: string, steps: readonly PathStep[], at: number): PathAnswer {
    const isRequired = listOf(node['required']).includes(name);
    const properties = isJsonObject(node['properties']) ? node['properties'] : {};
    if (Object.hasOwn(properties, name)) return within(this.#look(properties[name], steps, at + 1), isRequired);
    if (valuesOf(node['patternProperties']).length > 0) return UNTOLD;
    const additional = node['additionalProperties'];
    if (isJsonObject(additional)) return within(this.#look(additional, steps, at + 1), isRequired);
    const isClosed =
      additional === false ||
      (node['unevaluatedProperties'] === false && !APPLICATORS.some((keyword) => keyword in node));
    if (isClosed) return { kind: 'impossible', step: at, why: 'closed', names: Object.keys(properties) };
    return { kind: 'open', required: isRequired && at === steps.length - 1 };
  }

  #item(node: JsonObject, index: number, steps: readonly PathStep[], at: number): PathAnswer {
    const { maxItems, minItems } = node;
    if (typeof maxItems === 'number' && maxItems <= index) {
      return { kind: 'impossible', step: at, why: 'closed', names: [] };
    }
    const isRequired = typeof minItems === 'number' && minItems > index;
    const prefix = listOf(node['prefixItems']);
    if (index < prefix.length) return within(this.#look(prefix[index], steps, at + 1), isRequired);
    const { items } = node;
    if (items === false) return { kind: 'impossible', step: at, why: 'closed', names: [] };
    if (isJsonObject(items)) return within(this.#look(items, steps, at + 1), isRequired);
    return { kind: 'open', required: isRequired && at === steps.length - 1 };
  }
}

function within(answer: PathAnswer, isRequired: boolean): PathAnswer {
  return answer.kind === 'impossible' ? answer : { ...answer, required: answer.required && isRequired };
}

/** Schemas that a value must fit together: what one forbids is impossible, what one describes is described. */
function all(answers: readonly PathAnswer[]): PathAnswer {
  const impossible = answers.find(({ kind }) => kind === 'impossible');
  if (impossible !== undefined) return impossible;
  const possible = answers.filter((answer) => answer.kind !== 'impossible');
  const required = possible.some((answer) => answer.required);
  const described = possible.filter((answer) => answer.kind === 'described');
  if (described.length === 0) return { kind: 'open', required };
  return { kind: 'described', required, types: described.find(({ types }) => types !== null)?.types ?? null };
}

/** Schemas of which a value must fit one: only what all forbid is impossible. */
function either(answers: readonly PathAnswer[]): PathAnswer {
  const [first] = answers;
  const possible = answers.filter((answer) => answer.kind !== 'impossible');
  if (possible.length === 0) return first ?? OPEN;
  const required = possible.length === answers.length && possible.every((answer) => answer.required);
  return possible.some(({ kind }) => kind === 'described')
    ? { kind: 'described', required, types: null }
    : { kind: 'open', required };
}

function typesOf({ type }: JsonObject): ReadonlySet<string> | null {
  if (typeof type === 'string') return new Set([type]);
  return Array.isArray(type) ? new Set(type.filter((one) => typeof one === 'string')) : null;
}

function valuesOf(value: Json | undefined): Json[] {
  return isJsonObject(value) ? Object.values(value) : [];
}
