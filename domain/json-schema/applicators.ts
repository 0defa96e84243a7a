/** The keywords of 2020-12 that apply a schema to the value: those with one schema, with a list of them, with a map of them. */
export const SCHEMA_APPLICATORS: readonly string[] = [
  'not',
  'if',
  'then',
  'else',
  'items',
  'contains',
  'additionalProperties',
  'propertyNames',
  'unevaluatedItems',
  'unevaluatedProperties',
];
export const SCHEMA_LIST_APPLICATORS: readonly string[] = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
export const SCHEMA_MAP_APPLICATORS: readonly string[] = ['properties', 'patternProperties', 'dependentSchemas'];
