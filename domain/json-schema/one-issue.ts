import type { ErrorObject } from 'ajv';
import type { Json } from '../json.ts';
import { referredIn } from '../json-pointer.ts';

/** Keywords that only say that one of their branches failed. Where a branch says what is wrong, they add nothing. */
const WRAPPERS = new Set(['if', 'propertyNames']);
/** A hostile schema must not make its own messages costly. */
const CHOICES_MAX = 10;
const NODES_MAX = 2_000;
const UNRESOLVED = Symbol('a reference that leads out of the document');
const ALTERNATIVES = new Set(['anyOf', 'oneOf']);

/** One mistake, one issue: the mistakes of the nearest branch of an `anyOf` or `oneOf`, else the choice itself. */
export function withoutCascades(errors: readonly ErrorObject[], root: unknown): ErrorObject[] {
  let kept = errors.filter(({ keyword }) => !WRAPPERS.has(keyword));
  // The innermost choice comes first: what is kept of it counts for the choice around it.
  const choices = kept
    .filter(({ keyword }) => ALTERNATIVES.has(keyword))
    .toSorted((left, right) => right.instancePath.length - left.instancePath.length)
    .slice(0, CHOICES_MAX);
  for (const choice of choices) kept = withoutChoice(kept, choice, root);
  for (const search of kept.filter(({ keyword }) => keyword === 'contains').slice(0, CHOICES_MAX)) {
    const sought = [nodesOf(search.schema, root)];
    kept = kept.filter((error) => branchOf(error, search, sought) === null); // that no item fits is said once
  }
  return kept;
}

function withoutChoice(errors: readonly ErrorObject[], choice: ErrorObject, root: unknown): ErrorObject[] {
  const nodes = Array.isArray(choice.schema) ? choice.schema.map((branch) => nodesOf(branch, root)) : [];
  const branches = new Map<number, ErrorObject[]>();
  for (const error of errors) {
    const branch = branchOf(error, choice, nodes);
    if (branch !== null) branches.set(branch, [...(branches.get(branch) ?? []), error]);
  }
  if (branches.size === 0) return [...errors]; // more than one branch of a oneOf fits: only the choice says it
  const tagged = byTag([...branches.values()], choice);
  if (tagged !== null) {
    const others = new Set<ErrorObject>([choice, ...[...branches.values()].flat()]);
    return [...errors.filter((error) => !others.has(error)), ...tagged];
  }
  const ranked = [...branches.values()].toSorted((left, right) => distance(left, choice) - distance(right, choice));
  const [nearest = [], next] = ranked;
  const isNearer = next === undefined || distance(nearest, choice) < distance(next, choice);
  const dropped = new Set<ErrorObject>([...branches.values()].flat());
  if (isNearer) {
    dropped.add(choice);
    for (const error of nearest) dropped.delete(error);
  }
  return errors.filter((error) => !dropped.has(error));
}

/**
 * The mistakes of the one branch whose tag the value has: a member that `const` or `enum` refuses in every other branch. If every
 * branch refuses it, one mistake with all the values that are taken. Null where no member tells the branches apart.
 */
function byTag(branches: readonly (readonly ErrorObject[])[], choice: ErrorObject): readonly ErrorObject[] | null {
  if (branches.length < 2 || branches.length !== (choice.schema as unknown[]).length) return null;
  const refusals = branches.map((errors) => new Map(errors.filter(isTag).map((error) => [error.instancePath, error])));
  for (const path of new Set(refusals.flatMap((one) => [...one.keys()]))) {
    if (path.slice(choice.instancePath.length + 1).includes('/')) continue;
    const accepting = branches.filter((_branch, index) => refusals[index]?.has(path) !== true);
    if (accepting.length === 1) return accepting[0] ?? null;
    const refused = refusals.flatMap((one) => one.get(path) ?? []);
    const [first] = refused;
    if (accepting.length > 0 || first === undefined) continue;
    const allowedValues = [...new Set(refused.flatMap(valuesOf))];
    return [{ ...first, keyword: 'enum', params: { allowedValues } }];
  }
  return null;

  function isTag({ keyword, instancePath }: ErrorObject): boolean {
    return (keyword === 'const' || keyword === 'enum') && instancePath.length > choice.instancePath.length;
  }
}

function valuesOf({ params }: ErrorObject): unknown[] {
  const { allowedValues, allowedValue } = params as { allowedValues?: unknown[]; allowedValue?: unknown };
  return allowedValues ?? [allowedValue];
}

/** An error's branch, by the schemas that branches hold: behind a reference the path is another. */
function branchOf(error: ErrorObject, choice: ErrorObject, branches: readonly ReadonlySet<unknown>[]): number | null {
  if (error === choice || !isBelow(error.instancePath, choice.instancePath)) return null;
  const branch = branches.findIndex((nodes) => nodes.has(error.parentSchema));
  if (branch !== -1 || error.parentSchema === choice.parentSchema) return branch === -1 ? null : branch;
  // An error that belongs to no branch, and not to the choice either, belongs to the branch whose reference leads out of the document.
  const unknown = branches.findIndex((nodes) => nodes.has(UNRESOLVED));
  return unknown === -1 ? null : unknown;
}

/** The schemas below one, through references within the document: not through all of a large one. */
function nodesOf(schema: unknown, root: unknown): Set<unknown> {
  const nodes = new Set<unknown>();
  const waiting = [schema];
  while (waiting.length > 0 && nodes.size < NODES_MAX) {
    const node = waiting.pop();
    if (typeof node !== 'object' || node === null || nodes.has(node)) continue;
    nodes.add(node);
    const { $ref } = node as { $ref?: unknown };
    if (typeof $ref === 'string') {
      const target = $ref.startsWith('#/') ? referredIn(root as Json, $ref) : undefined;
      if (target === undefined) nodes.add(UNRESOLVED);
      else waiting.push(target);
    }
    waiting.push(...(Object.values(node) as unknown[]));
  }
  return nodes;
}

const isBelow = (path: string, parent: string): boolean => path === parent || path.startsWith(`${parent}/`);

/** A branch whose very type is wrong, or that names another kind (`const`, `enum`), was not meant. */
function distance(errors: readonly ErrorObject[], choice: ErrorObject): number {
  return errors.reduce((sum, { keyword, instancePath }) => {
    if (keyword === 'type' && instancePath === choice.instancePath) return sum + 100;
    return sum + (keyword === 'const' || keyword === 'enum' ? 10 : 1);
  }, 0);
}
