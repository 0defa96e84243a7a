import type { ErrorObject, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { LRUCache } from 'lru-cache';
import { addSafeKeywords, newBudget, type ValidationBudget, ValidationBudgetError } from './keywords.ts';
import { meantText } from '../near-names.ts';
import { exampleShape } from './example-shape.ts';
import { withoutCascades } from './one-issue.ts';
import { structureIssues } from './structure.ts';
import { digestOf } from '../canonical-json.ts';
import type { Issue } from '../errors.ts';
import { type PathStep, pathText } from '../json-path.ts';
import type { Json, JsonObject } from '../json.ts';
import { unescapeStep } from '../json-pointer.ts';

/** JSON Schema 2020-12 for tenants: checked before it is stored, bounded in time and stack, formats asserted. */
export interface CompiledSchema {
  /** What is wrong with a value, with paths such as `input.items[0].id`; empty: it is valid. */
  validate(value: Json): Issue[];
  /** Whether a value is shown to be valid within a few milliseconds; false also if the time was too short. */
  fitsAtOnce(value: Json): boolean;
  /** The number of instructions in its patterns: each runs on each character of a text. */
  patternInstructions: number;
}

const COMPILED_MAX = 500;
const COMPILED_BYTES_MAX = 4_194_304;
/** A validation that takes longer is given up: the schema multiplies the work of its input. */
const VALIDATION_MS_MAX = 500;
const ALL_ISSUES_MS_MAX = 100;
const AT_ONCE_MS_MAX = 20;
const ISSUES_MAX = 50;

/** Checks schemas against the meta-schema. One instance for all, because compiling the meta-schema is costly. */
let metaSchemaValidator: Ajv2020 | undefined;

/** A schema's issues: not 2020-12, too large or deep, a bad reference, a pattern without linear time. */
export function checkSchema(schema: JsonObject, path = 'inputSchema'): Issue[] {
  const structure = structureIssues(schema, path);
  if (structure.length > 0) return structure;
  metaSchemaValidator ??= new Ajv2020({ strict: false, allErrors: false, logger: false, verbose: true });
  try {
    if (metaSchemaValidator.validateSchema(schema) !== true) {
      return issuesOf(metaSchemaValidator.errors ?? [], path, null);
    }
    build(schema, newBudget(), false);
    return [];
  } catch (error) {
    return [{ path, message: `cannot be compiled: ${messageOf(error)}` }];
  }
}

const compiledSchemas = new LRUCache<string, CompiledSchema>({
  max: COMPILED_MAX,
  maxSize: COMPILED_BYTES_MAX,
});

/** Compiles a checked schema, or takes it from the cache (by digest). Throws on one that does not compile. */
export function compileSchema(schema: JsonObject, digest = digestOf(schema)): CompiledSchema {
  const known = compiledSchemas.get(digest);
  if (known !== undefined) return known;
  const compiled = compile(schema);
  compiledSchemas.set(digest, compiled, { size: JSON.stringify(schema).length });
  return compiled;
}

/** A schema that this thread compiled before; its digest names it. */
export function compiledSchema(digest: string): CompiledSchema | null {
  return compiledSchemas.get(digest) ?? null;
}

function compile(schema: JsonObject): CompiledSchema {
  const budget = newBudget();
  const first = build(schema, budget, false);
  let all: ValidateFunction | undefined;
  return {
    patternInstructions: budget.patternInstructions(),
    fitsAtOnce(value) {
      const issues = run(first, budget, value, AT_ONCE_MS_MAX);
      return issues !== 'exceeded' && issues.length === 0;
    },
    validate(value) {
      const issues = run(first, budget, value, VALIDATION_MS_MAX);
      if (issues === 'exceeded') {
        return [
          { path: 'input', message: 'cannot be validated: the schema takes too long or nests without end on it' },
        ];
      }
      if (issues.length === 0) return issues;
      // Only an invalid value pays for the full list, and that is bounded too.
      all ??= build(schema, budget, true);
      const complete = run(all, budget, value, ALL_ISSUES_MS_MAX);
      return complete === 'exceeded' || complete.length === 0 ? issues : complete.slice(0, ISSUES_MAX);
    },
  };
}

function build(schema: JsonObject, budget: ValidationBudget, allErrors: boolean): ValidateFunction {
  const ajv = new Ajv2020({
    strict: false,
    allErrors,
    verbose: true, // the schema of each error tells to which alternative it belongs
    logger: false,
    // The schema was checked against the meta-schema when it was written. Compiling the meta-schema again would cost the most.
    meta: false,
    validateSchema: false,
    // Inlined references multiply the code of a small schema.
    inlineRefs: false,
    // `toString` and its like are no members of an input.
    ownProperties: true,
    // The optimiser takes quadratic time in the schema's size, and saves little at run time.
    code: { regExp: budget.regExp, optimize: false },
  });
  const prepared = addSafeKeywords(ajv, schema, budget);
  return ajv.compile(prepared);
}

function run(validate: ValidateFunction, budget: ValidationBudget, value: Json, limitMs: number): Issue[] | 'exceeded' {
  budget.start(limitMs);
  try {
    return validate(value) ? [] : issuesOf(validate.errors ?? [], 'input', validate.schema);
  } catch (error) {
    // A self-reference that consumes nothing overflows the stack; one that branches runs out of time.
    if (error instanceof RangeError || error instanceof ValidationBudgetError) return 'exceeded';
    throw error;
  }
}

function issuesOf(errors: readonly ErrorObject[], root: string, schema: unknown): Issue[] {
  const issues = withoutCascades(errors.slice(0, ISSUES_MAX * 2), schema).map((error) => ({
    path: pathText(root, [...pointerSteps(error.instancePath), ...memberOf(error)]),
    message: messageFor(error),
  }));
  const seen = new Set<string>();
  return issues.filter(({ path, message }) => {
    const key = `${path}\n${message}`;
    return seen.has(key) ? false : seen.add(key);
  });
}

function pointerSteps(pointer: string): PathStep[] {
  return pointer
    .split('/')
    .slice(1)
    .map(unescapeStep)
    .map((step) => (/^(?:0|[1-9]\d*)$/.test(step) ? Number(step) : step));
}

function memberOf({ keyword, params, propertyName }: ErrorObject): PathStep[] {
  if (propertyName !== undefined) return [propertyName];
  const names: Record<string, string> = {
    required: 'missingProperty',
    dependentRequired: 'missingProperty',
    additionalProperties: 'additionalProperty',
    unevaluatedProperties: 'unevaluatedProperty',
    propertyNames: 'propertyName',
  };
  const member: unknown = params[names[keyword] ?? ''];
  return typeof member === 'string' ? [member] : [];
}

function messageFor(error: ErrorObject): string {
  const { keyword, params, message, parentSchema } = error;
  if (keyword === 'required') return 'is required';
  if (keyword === 'additionalProperties' || keyword === 'unevaluatedProperties')
    return unknownMember(memberOf(error)[0], parentSchema);
  if (keyword === 'enum') return `must be one of ${JSON.stringify(params['allowedValues']).slice(0, 200)}`;
  if (keyword === 'const') return `must be ${JSON.stringify(params['allowedValue']).slice(0, 200)}`;
  if (keyword === 'type' && params['type'] === 'object') {
    const example = exampleShape(parentSchema);
    return example === null ? 'must be an object' : `must be an object such as ${example}`;
  }
  if (keyword === 'anyOf' || (keyword === 'oneOf' && params['passingSchemas'] === null))
    return 'is of no kind that is taken here';
  return message ?? `does not fit ${keyword}`;
}

/** A schema of a tenant may have very many members: their names are then not compared. */
const MEMBERS_COMPARED_MAX = 200;

function unknownMember(member: PathStep | undefined, parentSchema: unknown): string {
  const properties: unknown = (parentSchema as { properties?: unknown } | undefined)?.properties;
  const names = typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
  const isCompared = typeof member === 'string' && names.length <= MEMBERS_COMPARED_MAX;
  return `is not a known member${isCompared ? meantText(member, names) : ''}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message.slice(0, 300) : 'unknown reason';
}
