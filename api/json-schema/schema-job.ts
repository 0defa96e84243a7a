import type { Issue } from '../../domain/errors.ts';
import type { Json, JsonObject } from '../../domain/json.ts';

/** Checks a schema, or a value against a checked schema. */
export type SchemaJob =
  { kind: 'check'; schema: JsonObject; path: string } | { kind: 'validate'; schema: JsonObject; value: Json };

export type SchemaAnswer = Issue[];
