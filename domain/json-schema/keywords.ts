import type { AnySchemaObject, SchemaValidateFunction } from 'ajv';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { canonicalJson } from '../canonical-json.ts';
import type { Json, JsonObject } from '../json.ts';
import { digitsFault, takesDigits } from './digits.ts';
import { compilePattern } from './patterns.ts';
import { mapSubschemas } from './structure.ts';

/** A validation exceeded its time, or a pattern its work. */
export class ValidationBudgetError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ValidationBudgetError';
  }
}

/** The deadline of a compiled schema's validations. They are synchronous, so that one is enough. */
export interface ValidationBudget {
  start(limitMs: number): void;
  check(): void;
  patternInstructions(): number;
  /** The engine for `pattern`: RE2, whose time is linear in the text. */
  regExp: RegExpEngine;
}

export interface RegExpEngine {
  (pattern: string, flags: string): CompiledPattern;
  code: string;
}

interface CompiledPattern {
  test(text: string): boolean;
  toString(): string;
}

/** Characters of the text times instructions of the program. */
const PATTERN_WORK_MAX = 20_000_000;
/** Regular expressions that backtrack check the formats, so that a longer text matches none. */
const FORMAT_LENGTH_MAX = 2_048;
/** Fewer steps have multiplied nothing: if they take long, the machine was busy, and the input is not refused. */
const STEPS_FREE = 32;
const STEP_KEYWORD = 'x-service-step';
const DIGITS_KEYWORD = 'x-service-digits';

export function newBudget(): ValidationBudget {
  let deadline = Number.POSITIVE_INFINITY;
  let instructions = 0;
  let steps = 0;
  const check = (): void => {
    if (++steps > STEPS_FREE && performance.now() > deadline)
      throw new ValidationBudgetError('the validation takes too long');
  };
  const regExp = (pattern: string): CompiledPattern => {
    const program = compilePattern(pattern);
    const size = program.programSize();
    instructions += size;
    return {
      test(text) {
        check();
        if (text.length * size > PATTERN_WORK_MAX)
          throw new ValidationBudgetError('the text is too long for its pattern');
        // `test` is avoided: its automaton is up to ten times slower, and keeps up to 8 MB of states for each pattern.
        return program.matcher(text).find();
      },
      // The validator caches a pattern under the text that this returns. Without it every pattern of a schema would be the first one.
      toString: () => pattern,
    };
  };
  return {
    start(limitMs) {
      deadline = performance.now() + limitMs;
      steps = 0;
    },
    check,
    patternInstructions: () => instructions,
    // `code` is what ajv would write into a stand-alone module, which we never make.
    regExp: Object.assign(regExp, { code: 're2' }),
  };
}

/**
 * Adds keywords of bounded cost, and a step in each subschema that checks the clock: generated code stops no other way.
 */
export function addSafeKeywords(ajv: Ajv2020, schema: JsonObject, budget: ValidationBudget): JsonObject {
  addFormats.default(ajv);
  for (const [name, format] of Object.entries(ajv.formats)) {
    const bounded = boundedFormat(name, format);
    if (bounded !== null) ajv.formats[name] = bounded;
  }
  // The validator's own `uniqueItems` compares each item with each other one.
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    error: { message: 'must not hold the same item twice' },
    validate: (isUnique: boolean, items: Json[]) =>
      !isUnique || new Set(items.map(canonicalJson)).size === items.length,
  });
  ajv.addKeyword({
    keyword: STEP_KEYWORD,
    before: '$ref',
    schema: false,
    validate: () => {
      budget.check();
      return true;
    },
  });
  ajv.addKeyword({ keyword: DIGITS_KEYWORD, errors: true, validate: validateDigits });
  return mapSubschemas(schema, (subschema) => ({
    ...subschema,
    [STEP_KEYWORD]: true,
    ...(takesDigits(subschema) ? { [DIGITS_KEYWORD]: true } : {}),
  }));
}

const validateDigits: SchemaValidateFunction = (_schema: unknown, value: Json, parent?: AnySchemaObject) => {
  const message = digitsFault(parent ?? {}, value);
  validateDigits.errors = message === null ? [] : [{ keyword: DIGITS_KEYWORD, message, params: {} }];
  return message === null;
};

type Format = Ajv2020['formats'][string];

/** Formats such as base64 are naturally long, and are checked by an expression that does not backtrack. */
const UNBOUNDED_FORMATS: readonly string[] = ['byte', 'binary', 'password'];

function boundedFormat(name: string, format: Format): Format | null {
  if (UNBOUNDED_FORMATS.includes(name)) return null;
  const own: unknown = typeof format === 'object' && !(format instanceof RegExp) ? format.validate : format;
  if (typeof format === 'object' && 'type' in format && format.type === 'number') return null;
  if (own instanceof RegExp) return (text: string) => text.length <= FORMAT_LENGTH_MAX && own.test(text);
  if (typeof own !== 'function') return null;
  return (text: string) => text.length <= FORMAT_LENGTH_MAX && own(text) === true;
}
