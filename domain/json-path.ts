import { canonicalJson } from './canonical-json.ts';
import { type ExactJson, isJsonObject, type Json } from './json.ts';

export type PathStep = string | number;
export type Found<Value = Json> = { found: true; value: Value } | { found: false };

const NOT_FOUND: { found: false } = { found: false };
const PATH_STEPS_MAX = 32;
const NAME = /^[^\s.[\]{}"']+/u;
const INDEX = /^\[(0|[1-9]\d{0,8})\]/;
/** Any name, as JSON: `input.query["filter[state]"]`. */
const QUOTED = /^\[("(?:[^"\\]|\\.)*")\]/;

/** Parses `body.items[0].state`. A name with a dot, a bracket or a blank is quoted: `body["a.b"]`. Returns null when the text is no path. */
export function parsePath(text: string): PathStep[] | null {
  const steps: PathStep[] = [];
  let rest = text;
  while (rest !== '') {
    if (steps.length === PATH_STEPS_MAX) return null;
    const index = steps.length > 0 ? INDEX.exec(rest) : null;
    if (index?.[1] !== undefined) {
      steps.push(Number(index[1]));
      rest = rest.slice(index[0].length);
      continue;
    }
    const quoted = steps.length > 0 ? QUOTED.exec(rest) : null;
    if (quoted?.[1] !== undefined) {
      const name = quotedName(quoted[1]);
      if (name === null) return null;
      steps.push(name);
      rest = rest.slice(quoted[0].length);
      continue;
    }
    if (steps.length > 0) {
      if (!rest.startsWith('.')) return null;
      rest = rest.slice(1);
    }
    const name = NAME.exec(rest)?.[0];
    if (name === undefined) return null;
    steps.push(name);
    rest = rest.slice(name.length);
  }
  return steps.length > 0 ? steps : null;
}

function quotedName(text: string): string | null {
  try {
    return JSON.parse(text) as string;
  } catch (error) {
    if (error instanceof SyntaxError) return null; // an escape that JSON does not have
    throw error;
  }
}

/** Walks own members and elements only, never those of a prototype. */
export function readPath(value: Json, steps: readonly PathStep[]): Found;
export function readPath(value: ExactJson, steps: readonly PathStep[]): Found<ExactJson>;
export function readPath(value: ExactJson, steps: readonly PathStep[]): Found<ExactJson> {
  let current: ExactJson = value;
  for (const step of steps) {
    let next: ExactJson | undefined;
    if (typeof step === 'number') {
      if (!Array.isArray(current)) return NOT_FOUND;
      next = current[step];
    } else {
      if (!isJsonObject(current) || !Object.hasOwn(current, step)) return NOT_FOUND;
      next = current[step];
    }
    if (next === undefined) return NOT_FOUND;
    current = next;
  }
  return { found: true, value: current };
}

/** Equal as JSON values: the order of members does not matter. */
export function jsonEquals(left: Json, right: Json): boolean {
  return canonicalJson(left) === canonicalJson(right);
}

/** Writes a path for people: `input.items[0].id`. */
export function pathText(root: string, steps: readonly PathStep[]): string {
  return steps.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    return text === '' ? step : `${text}.${step}`;
  }, root);
}
