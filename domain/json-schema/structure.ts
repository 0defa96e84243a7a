import { compilePattern } from './patterns.ts';
import type { Issue } from '../errors.ts';
import { isJsonObject, type Json, jsonBytes, jsonDepthExceeds, type JsonObject } from '../json.ts';
import { SCHEMA_APPLICATORS, SCHEMA_LIST_APPLICATORS, SCHEMA_MAP_APPLICATORS } from './applicators.ts';
import { escapeStep } from '../json-pointer.ts';

const SCHEMA_BYTES_MAX = 65_536;
const SCHEMA_DEPTH_MAX = 64;
const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/** Every keyword that holds schemas: the applicators, and those that describe or define a schema without applying it. */
const SCHEMA_KEYWORDS: readonly string[] = [...SCHEMA_APPLICATORS, 'contentSchema'];
const SCHEMA_MAP_KEYWORDS: readonly string[] = [...SCHEMA_MAP_APPLICATORS, '$defs', 'definitions', 'dependencies'];
const REFERENCE_KEYWORDS = ['$ref', '$dynamicRef'] as const;

/** Calls `visit` for each subschema that is an object, with its JSON pointer. Collects the pointers of all subschemas. */
function walk(
  schema: JsonObject,
  visit: (subschema: JsonObject, pointer: string) => void,
  pointers = new Set<string>(),
): void {
  mapSubschemas(
    schema,
    (subschema, pointer) => {
      visit(subschema, pointer);
      return subschema;
    },
    pointers,
  );
}

/** A copy in which `change` was applied to each subschema that is an object. Data (`const`, `enum`, `default`) stays as it is. */
export function mapSubschemas(
  schema: JsonObject,
  change: (subschema: JsonObject, pointer: string) => JsonObject,
  pointers = new Set<string>(),
  pointer = '#',
): JsonObject {
  pointers.add(pointer);
  const inner = (value: Json, at: string): Json => {
    if (isJsonObject(value)) return mapSubschemas(value, change, pointers, at);
    pointers.add(at); // `true` and `false` are schemas too, and may be referred to
    return value;
  };
  const members = Object.entries(schema).map(([keyword, value]): [string, Json] => {
    const at = `${pointer}/${escapeStep(keyword)}`;
    if (SCHEMA_KEYWORDS.includes(keyword)) return [keyword, inner(value, at)];
    if (SCHEMA_LIST_APPLICATORS.includes(keyword) && Array.isArray(value)) {
      return [keyword, value.map((item, index) => inner(item, `${at}/${index}`))];
    }
    if (SCHEMA_MAP_KEYWORDS.includes(keyword) && isJsonObject(value)) {
      const mapped = Object.entries(value).map(
        ([name, item]) => [name, inner(item, `${at}/${escapeStep(name)}`)] as const,
      );
      return [keyword, Object.fromEntries(mapped)];
    }
    return [keyword, value];
  });
  return change(Object.fromEntries(members), pointer);
}

/** Checks what a meta-schema cannot express: size, depth, references that stay inside, patterns that run in linear time. */
export function structureIssues(schema: JsonObject, path: string): Issue[] {
  if (jsonDepthExceeds(schema, SCHEMA_DEPTH_MAX))
    return [{ path, message: `is nested more than ${SCHEMA_DEPTH_MAX} deep` }];
  if (jsonBytes(schema) > SCHEMA_BYTES_MAX) {
    return [{ path, message: `is larger than ${SCHEMA_BYTES_MAX} bytes` }];
  }
  const issues: Issue[] = [];
  const pointers = new Set<string>();
  const anchors = new Set<string>();
  walk(
    schema,
    (subschema) => {
      for (const keyword of ['$anchor', '$dynamicAnchor']) {
        const anchor = subschema[keyword];
        if (typeof anchor === 'string') anchors.add(anchor);
      }
    },
    pointers,
  );
  walk(schema, (subschema, pointer) => {
    const at = `${path}${pointer.slice(1).replaceAll('/', '.')}`;
    for (const { keyword, message } of subschemaFaults(subschema, pointer === '#', pointers, anchors)) {
      issues.push({ path: `${at}.${keyword}`, message });
    }
  });
  return issues;
}

interface Fault {
  keyword: string;
  message: string;
}

function subschemaFaults(
  subschema: JsonObject,
  isRoot: boolean,
  pointers: ReadonlySet<string>,
  anchors: ReadonlySet<string>,
): Fault[] {
  const faults: Fault[] = [];
  for (const keyword of REFERENCE_KEYWORDS) {
    const reference = subschema[keyword];
    if (typeof reference !== 'string') continue;
    const message = referenceFault(reference, pointers, anchors);
    if (message !== null) faults.push({ keyword, message });
  }
  const dialect = subschema['$schema'];
  if (typeof dialect === 'string' && dialect.replace(/#$/, '') !== DIALECT) {
    faults.push({ keyword: '$schema', message: `must be ${DIALECT}` });
  }
  if (!isRoot && Object.hasOwn(subschema, '$id')) {
    faults.push({ keyword: '$id', message: 'is for the root only; name a part of the document with $anchor or $defs' });
  }
  // An asynchronous schema would return a promise, which is always true.
  if (Object.hasOwn(subschema, '$async')) faults.push({ keyword: '$async', message: 'is not of JSON Schema' });
  const pattern = subschema['pattern'];
  if (typeof pattern === 'string') faults.push(...patternFault('pattern', pattern));
  const patterns = subschema['patternProperties'];
  if (isJsonObject(patterns)) {
    for (const name of Object.keys(patterns)) faults.push(...patternFault(`patternProperties.${name}`, name));
  }
  return faults;
}

function referenceFault(reference: string, pointers: ReadonlySet<string>, anchors: ReadonlySet<string>): string | null {
  if (!reference.startsWith('#')) return 'must stay inside of the schema: #/$defs/name or #anchor';
  const fragment = decoded(reference.slice(1));
  const isKnown = fragment !== null && (pointers.has(`#${fragment}`) || anchors.has(fragment));
  return isKnown ? null : `${reference} does not lead to a schema of this document`;
}

function decoded(fragment: string): string | null {
  try {
    return decodeURIComponent(fragment);
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}

function patternFault(keyword: string, pattern: string): Fault[] {
  try {
    compilePattern(pattern);
    return [];
  } catch (error) {
    const why = error instanceof Error ? error.message : 'it does not compile';
    return [{ keyword, message: `cannot be run in linear time (RE2): ${why}` }];
  }
}
