import type { Issue } from '../../domain/errors.ts';
import type { Json, JsonObject } from '../../domain/json.ts';

/** What the thread is asked: whether a schema can be used, or whether a value fits one that was checked. */
export type SchemaJob =
  { kind: 'check'; schema: JsonObject; path: string } | { kind: 'validate'; schema: JsonObject; value: Json };

export type SchemaAnswer = Issue[];
