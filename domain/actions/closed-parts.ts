import { isJsonObject, type JsonObject } from '../json.ts';
import { referredIn } from '../json-pointer.ts';
import { mapSubschemas } from '../json-schema/structure.ts';
import type { Warning } from './warnings.ts';

/** Beyond so many parts nothing is claimed: schemas are other people's programs. */
const PARTS_MAX = 5_000;
const PARTS_OF_ONE_MAX = 200;
const NAMES_SHOWN_MAX = 5;

/** Warns of objects whose parts (`allOf`, `$ref`) refuse each other's members. `path`: of the schema. */
export function closedPartWarnings(schema: JsonObject, path: string): Warning[] {
  const warnings: Warning[] = [];
  let partsLeft = PARTS_MAX;
  mapSubschemas(schema, (subschema, pointer) => {
    if (!Array.isArray(subschema['allOf']) && typeof subschema['$ref'] !== 'string') return subschema;
    const parts = partsOf(subschema, schema);
    partsLeft -= parts.length;
    const message = partsLeft < 0 ? null : faultOf(parts, subschema, schema);
    if (message !== null) {
      warnings.push({
        path: `${path}${pointer.slice(1).replaceAll('/', '.')}`,
        code: 'schema_takes_no_member',
        message,
      });
    }
    return subschema;
  });
  return warnings;
}

function faultOf(parts: readonly JsonObject[], whole: JsonObject, root: JsonObject): string | null {
  if (parts.length < 2) return null;
  const closed = parts.flatMap((part) => closedNames(part, part === whole, root) ?? []);
  const [first, ...others] = closed;
  if (first === undefined) return null;
  const taken = new Set([...first].filter((name) => others.every((names) => names.has(name))));
  const refused = parts.flatMap((part) => requiredOf(part)).filter((name) => !taken.has(name));
  if (refused.length > 0) return `requires ${shown(refused)}, which another of its closed parts refuses: no value fits`;
  const described = parts.flatMap((part) => Object.keys(propertiesOf(part)));
  if (described.length === 0 || described.some((name) => taken.has(name))) return null;
  return 'is made of closed parts that refuse the members of each other: it takes no member. Close the whole by unevaluatedProperties';
}

/** The schema with what it refers to and the parts of its `allOf`, each once. */
function partsOf(schema: JsonObject, root: JsonObject): JsonObject[] {
  const parts = new Set<JsonObject>([schema]);
  for (const part of parts) {
    if (parts.size > PARTS_OF_ONE_MAX) break;
    const { allOf, $ref: reference } = part;
    for (const one of Array.isArray(allOf) ? allOf : []) if (isJsonObject(one)) parts.add(one);
    const target = typeof reference === 'string' && reference !== '#' ? referredIn(root, reference) : undefined;
    if (isJsonObject(target)) parts.add(target);
  }
  return [...parts];
}

/** The members that a closed part takes; null for an open one. `unevaluatedProperties` of the whole sees all of its parts. */
function closedNames(part: JsonObject, isWhole: boolean, root: JsonObject): ReadonlySet<string> | null {
  if (isJsonObject(part['patternProperties'])) return null;
  if (part['additionalProperties'] === false) return new Set(Object.keys(propertiesOf(part)));
  if (isWhole || part['unevaluatedProperties'] !== false) return null;
  const within = partsOf(part, root);
  const isPlain = within.every((one) => !['anyOf', 'oneOf', 'if', 'patternProperties'].some((name) => name in one));
  return isPlain ? new Set(within.flatMap((one) => Object.keys(propertiesOf(one)))) : null;
}

function propertiesOf({ properties }: JsonObject): JsonObject {
  return isJsonObject(properties) ? properties : {};
}

function requiredOf({ required }: JsonObject): string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
}

function shown(names: readonly string[]): string {
  const unique = [...new Set(names)];
  return `${unique.slice(0, NAMES_SHOWN_MAX).join(', ')}${unique.length > NAMES_SHOWN_MAX ? ', …' : ''}`;
}
