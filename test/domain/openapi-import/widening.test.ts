import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../domain/json.ts';
import { compileSchema } from '../../../domain/json-schema/json-schema.ts';
import { action, bodySchema, conditional, describing } from './support.ts';

/** `^x`, written so that no engine of linear time runs it. */
const UNUSABLE = '^(?=x)x';
const withBody = (schema: Json, more: JsonObject = {}): JsonObject =>
  describing({ requestBody: { required: true, content: { 'application/json': { schema } } } }, more);

describe('a pattern that cannot be run', () => {
  const never = (schema: JsonObject): unknown => bodySchema(schema);

  it.each([
    ['alone', { type: 'string', pattern: UNUSABLE }, { type: 'string' }],
    ['in a not', { type: 'string', not: { pattern: UNUSABLE } }, { type: 'string' }],
    ['in a not of a not', { not: { not: { pattern: UNUSABLE } } }, {}],
    ['in an if', conditional({ pattern: UNUSABLE }, { maxLength: 1 }, { minLength: 9 }), {}],
    ['in a then', conditional({ minLength: 3 }, { pattern: UNUSABLE }), conditional({ minLength: 3 }, {})],
    [
      'in a oneOf',
      {
        oneOf: [
          { type: 'string', pattern: UNUSABLE },
          { type: 'string', pattern: '^t' },
        ],
      },
      { anyOf: [{ type: 'string' }, { type: 'string', pattern: '^t' }] },
    ],
    [
      'in a oneOf beside an anyOf',
      { anyOf: [{ minLength: 1 }], oneOf: [{ pattern: UNUSABLE }, { maxLength: 3 }] },
      { anyOf: [{ minLength: 1 }], allOf: [{ anyOf: [{}, { maxLength: 3 }] }] },
    ],
    ['in a contains', { contains: { pattern: UNUSABLE }, maxContains: 1 }, { contains: {} }],
    [
      'of names, in a closed object',
      { properties: { a: {} }, patternProperties: { [UNUSABLE]: {} }, additionalProperties: false },
      { properties: { a: {} }, patternProperties: {} },
    ],
    [
      'of names, beside unevaluatedProperties',
      { allOf: [{ patternProperties: { [UNUSABLE]: {} } }], unevaluatedProperties: false },
      { allOf: [{ patternProperties: {} }] },
    ],
  ] as [string, JsonObject, JsonObject][])('makes no schema narrower: %s', (_what, schema, converted) => {
    expect(never(schema)).toEqual(converted);
    expect(action(withBody(schema)).notes.join('; ')).toMatch(/left out|checked as anyOf/);
  });

  it('makes none narrower behind a reference, or a circle of them', () => {
    const schemas = {
      A: { type: 'string', not: { $ref: '#/components/schemas/B' } },
      B: { allOf: [{ $ref: '#/components/schemas/C' }] },
      C: { anyOf: [{ pattern: UNUSABLE }, { type: 'object', properties: { a: { $ref: '#/components/schemas/A' } } }] },
    };
    const { inputSchema } = action(withBody({ $ref: '#/components/schemas/A' }, { components: { schemas } }));
    expect(compileSchema(inputSchema).validate({ body: 'abc' })).toEqual([]);
    expect(compileSchema(inputSchema).validate({ body: 5 })).toHaveLength(1);
  });

  it('leaves not, oneOf and if as they are where nothing is lost', () => {
    const exact = {
      type: 'object',
      properties: { bad: { type: 'string', pattern: UNUSABLE } },
      not: { required: ['a'] },
      oneOf: [{ required: ['b'] }, { required: ['c'] }],
      unevaluatedProperties: false,
    };
    expect(never(exact)).toEqual({ ...exact, properties: { bad: { type: 'string' } } });
  });
});

describe('what is dropped for other reasons', () => {
  it.each([
    ['a read-only member that a branch requires', { oneOf: [readOnlyBranch(), { required: ['b'] }] }, { a: 1, b: 1 }],
    ['a type that is none, in a not', { not: { type: 'file' } }, 'text'],
    ['an enumeration of rounded integers', { enum: [2 ** 63, 1] }, 5],
    ['a dynamic reference', { not: { $dynamicRef: '#x' } }, 5],
  ] as [string, JsonObject, Json][])('makes no schema narrower: %s', (_what, schema, value) => {
    expect(compileSchema(action(withBody(schema)).inputSchema).validate({ body: value })).toEqual([]);
  });

  it('makes no schema narrower where a schema is cut for its depth', () => {
    const wide = (tail: JsonObject): JsonObject => {
      const leaf = { type: 'string', description: 'd'.repeat(60), enum: ['a'.repeat(40)] };
      const properties = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`p${index}`, leaf]));
      let schema: JsonObject = tail;
      for (let level = 0; level < 16; level++) schema = { type: 'object', properties: { ...properties, in: schema } };
      return schema;
    };
    const closed = (name: string): JsonObject => ({ type: 'object', properties: { [name]: {} }, required: [name] });
    const tail = { oneOf: [closed('a'), closed('b')], not: closed('c') };
    const { inputSchema, notes } = action(withBody(wide(tail)));
    expect(notes.join()).toMatch(/limited depth/);
    const value = JSON.parse(`${'{"in":'.repeat(16)}{"a":1}${'}'.repeat(16)}`) as Json;
    expect(compileSchema(inputSchema).validate({ body: value })).toEqual([]);
  });
});

function readOnlyBranch(): JsonObject {
  return { required: ['a'], properties: { a: { readOnly: true } } };
}

/** mulberry32: the same schemas in every run. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function anySchema(next: () => number, depth: number): JsonObject {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T;
  const below = (): JsonObject => anySchema(next, depth - 1);
  const plain: (() => JsonObject)[] = [
    () => ({ pattern: pick([UNUSABLE, '^x', '^a', 'x$']) }),
    () => ({ type: pick(['string', 'object', 'array', 'integer', ['string', 'null']]) }),
    () => ({ type: 'integer', format: 'int64' }),
    () => ({ minLength: 2 }),
    () => ({ required: [pick(['a', 'xa'])] }),
    () => ({ enum: ['x', 'a', 1, null] }),
    () => ({ type: 'string' }),
    () => ({ $ref: `#/components/schemas/${pick(['S', 'T'])}` }),
  ];
  const nested: (() => JsonObject)[] = [
    () => ({ not: below() }),
    () => ({ oneOf: [below(), below()] }),
    () => ({ anyOf: [below(), below()] }),
    () => ({ allOf: [below(), below()] }),
    () => conditional(below(), below(), below()),
    () => ({ contains: below(), maxContains: 1 }),
    () => ({ items: below() }),
    () => ({ properties: { a: below() }, additionalProperties: pick([false, below()]) }),
    () => ({ patternProperties: { [pick([UNUSABLE, '^a'])]: below() }, additionalProperties: false }),
    () => ({ propertyNames: below() }),
    () => ({ properties: { a: below() }, ...below(), unevaluatedProperties: false }),
    () => ({ dependentSchemas: { a: below() } }),
    () => ({ ...below(), ...below() }),
  ];
  return pick(depth === 0 ? plain : [...plain, ...nested, ...nested])();
}

const VALUES: readonly Json[] = [
  '',
  'x',
  'xa',
  'a',
  'ax',
  'b',
  5,
  2 ** 40,
  1.5,
  null,
  true,
  [],
  ['x'],
  ['x', 'xa', 'a'],
  [1, 'b'],
  {},
  { a: 'x' },
  { a: 1 },
  { xa: 'x' },
  { xa: 'a', a: 'xa' },
  { b: 1 },
  { a: { xa: 'x' } },
  { a: ['x', 'a'] },
  { a: null, b: {} },
];

describe('a converted schema', () => {
  it('takes every value that the schema of the document takes', () => {
    const next = random(37);
    let compared = 0;
    for (let round = 0; round < 250; round++) {
      const [S, T, body] = [anySchema(next, 1), anySchema(next, 1), anySchema(next, 3)];
      const components = { schemas: { S, T } };
      const imported = importedOrNull(body, components);
      const validate = imported === null ? null : validatorOf(body, components);
      if (imported === null || validate === null) continue;
      const converted = compileSchema(imported);
      for (const value of VALUES) {
        if (!fits(validate, value)) continue;
        compared++;
        const issues = converted.validate({ body: value });
        if (issues.length > 0) throw new Error(JSON.stringify({ body, components, imported, value, issues }, null, 1));
      }
    }
    expect(compared).toBeGreaterThan(1_000);
  });

  /** Null where the operation is skipped, as for a schema that applies itself without end. */
  function importedOrNull(body: JsonObject, components: JsonObject): JsonObject | null {
    try {
      return action(withBody(body, { components })).inputSchema;
    } catch (error) {
      if (!(error instanceof Error) || !error.message.includes('without end')) throw error;
      return null;
    }
  }

  /** Null for references in a circle, which this validator does not resolve. */
  function validatorOf(body: JsonObject, components: JsonObject): ((value: Json) => unknown) | null {
    const original = new Ajv2020({ strict: false, logger: false, inlineRefs: false });
    addFormats.default(original);
    try {
      return original.addSchema({ $id: 'd:', components }).compile({ $id: 'd:b', ...moved(body) });
    } catch (error) {
      if (error instanceof RangeError) return null;
      throw error;
    }
  }

  /** The references of the document, as the other validator reads them. */
  function moved(schema: JsonObject): JsonObject {
    return JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"d:#/components')) as JsonObject;
  }

  /** False as well for a schema that never ends on the value. */
  function fits(validate: (value: Json) => unknown, value: Json): boolean {
    try {
      return validate(value) === true;
    } catch (error) {
      if (error instanceof RangeError) return false;
      throw error;
    }
  }
});
