import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { NotImportable, resolveObject, textIn } from './references.ts';

/** What the discriminating member of a branch may be. `isDefault`: the branch is meant where the member names no other, or is missing. */
export interface Tag {
  property: string;
  values: Json[];
  isDefault: boolean;
  /** A value without the member is of the default branch alone. */
  isRequired: boolean;
}

const DEPTH_MAX = 8;

/**
 * The tag of each branch of a `oneOf` or `anyOf` with a discriminator: its names in the mapping and its component's, as
 * far as the branch allows them. Null for a branch without a name, and in all where no discriminator is declared.
 */
export function tagsOf(root: JsonObject, schema: JsonObject, branches: readonly Json[]): (Tag | null)[] | null {
  const { discriminator } = schema;
  if (!isJsonObject(discriminator)) return null;
  const property = textIn(discriminator['propertyName']);
  if (property === '' || property === '__proto__') return null;
  const mapping = isJsonObject(discriminator['mapping']) ? Object.entries(discriminator['mapping']) : [];
  const targets = branches.map((branch) => targetOf(root, branch));
  const fallback = discriminator['defaultMapping'];
  const defaultTarget = fallback === undefined ? null : mappedTarget(root, fallback);
  const names = branches.map((branch, index) => {
    const own = mapping.filter(([, value]) => targets[index] && mappedTarget(root, value) === targets[index]);
    const implicit = componentName(branch);
    const isFree = implicit !== null && !mapping.some(([name]) => name === implicit);
    return [...own.map(([name]) => name), ...(isFree ? [implicit] : [])].flatMap(asTyped);
  });
  const tags = branches.map((branch, index): Tag | null => {
    const isDefault = defaultTarget !== null && targets[index] === defaultTarget;
    const values = isDefault
      ? names.flatMap((others, other) => (other === index ? [] : others))
      : allowedOf(root, branch, property, names[index] ?? []);
    return values.length === 0
      ? null
      : { property, values, isDefault, isRequired: defaultTarget !== null && !isDefault };
  });
  return tags.some((tag) => tag !== null) ? tags : null;
}

/** A converted branch that takes its own tag alone. */
export function withTag(branch: Json, { property, values, isDefault, isRequired }: Tag): Json {
  if (branch === false) return branch;
  const schema: JsonObject = isJsonObject(branch) ? branch : {};
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const own = Object.hasOwn(properties, property) ? properties[property] : undefined;
  const tag: JsonObject = isDefault ? { not: { enum: values } } : { enum: values };
  const tagged = isJsonObject(own) ? (isDefault ? { allOf: [own, tag] } : { ...own, ...tag }) : tag;
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  return {
    ...schema,
    properties: { ...properties, [property]: tagged },
    ...(isRequired && !required.includes(property) ? { required: [...required, property] } : {}),
  };
}

/** A mapping names its values in text, and the member may be a number or a boolean. */
function asTyped(name: string): Json[] {
  return /^(?:true|false|-?(?:0|[1-9]\d{0,14}))$/.test(name) ? [name, JSON.parse(name) as Json] : [name];
}

function componentName(branch: Json): string | null {
  const reference = isJsonObject(branch) ? textIn(branch['$ref']) : '';
  return /^#\/components\/schemas\/([^/]+)$/.exec(reference)?.[1] ?? null;
}

function targetOf(root: JsonObject, schema: Json): JsonObject | null {
  try {
    return resolveObject(root, schema);
  } catch (error) {
    if (error instanceof NotImportable) return null;
    throw error;
  }
}

/** A mapping leads to a reference, or to the name of a component. */
function mappedTarget(root: JsonObject, value: Json): JsonObject | null {
  if (typeof value !== 'string') return null;
  const isName = /^[A-Za-z0-9._-]+$/.test(value);
  const named = isName ? targetOf(root, { $ref: `#/components/schemas/${value}` }) : null;
  return named ?? targetOf(root, { $ref: value });
}

/** Those of the names that the branch allows; its own values, if the names are not among them: then the names are wrong. */
function allowedOf(root: JsonObject, branch: Json, property: string, names: Json[]): Json[] {
  const allowed = ownValues(root, branch, property, 0);
  if (allowed === null) return names;
  const both = names.filter((name) => allowed.includes(name));
  return both.length > 0 ? both : allowed;
}

/** The values that a schema itself allows a member, by `const` or `enum`, also by way of references and `allOf`; null for any. */
function ownValues(root: JsonObject, schema: Json, property: string, depth: number): Json[] | null {
  const resolved = depth > DEPTH_MAX ? null : targetOf(root, schema);
  if (resolved === null) return null;
  const { properties, allOf } = resolved;
  const member = isJsonObject(properties) && Object.hasOwn(properties, property) ? properties[property] : undefined;
  const declared = member === undefined ? null : targetOf(root, member);
  const lists = [
    declared === null ? null : listed(declared),
    ...(Array.isArray(allOf) ? allOf.map((part) => ownValues(root, part, property, depth + 1)) : []),
  ].filter((list) => list !== null);
  const [first, ...others] = lists;
  return first === undefined ? null : first.filter((value) => others.every((list) => list.includes(value)));
}

function listed({ const: only, enum: values }: JsonObject): Json[] | null {
  if (only !== undefined) return [only];
  return Array.isArray(values) ? values : null;
}
