import { SCHEMA_APPLICATORS, SCHEMA_LIST_APPLICATORS, SCHEMA_MAP_APPLICATORS } from '../json-schema/applicators.ts';

/** JSON Schema 2020-12: which keywords hold schemas, and how what a schema accepts depends on them. */

export const HOLDS_SCHEMA: ReadonlySet<string> = new Set(SCHEMA_APPLICATORS);
export const HOLDS_SCHEMA_LIST: ReadonlySet<string> = new Set(SCHEMA_LIST_APPLICATORS);
export const HOLDS_SCHEMA_MAP: ReadonlySet<string> = new Set([...SCHEMA_MAP_APPLICATORS, '$defs', 'definitions']);

/** Values, and no schemas. */
export const HOLDS_DATA: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples']);

/** Where accepting more makes the whole accept less. Dropped whole if anything in it would be. */
export const FRAGILE: ReadonlySet<string> = new Set(['not', 'if', 'oneOf', 'contains']);

/** Where one of these goes, the others mean something else or nothing: they go with it. */
export const GO_TOGETHER: Readonly<Record<string, readonly string[]>> = {
  if: ['then', 'else'],
  contains: ['minContains', 'maxContains'],
  prefixItems: ['items'],
  patternProperties: ['additionalProperties'],
  properties: ['additionalProperties'],
};

/** They accept what nothing beside them has looked at: where anything is dropped, that is more. */
export const LOOKS_AT_THE_REST: ReadonlySet<string> = new Set(['unevaluatedItems', 'unevaluatedProperties']);

/** Outside of them, `$ref` is a pointer into the document. */
export const MOVES_THE_BASE = '$id';
