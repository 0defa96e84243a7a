import { Ajv2020 } from 'ajv/dist/2020.js';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../domain/json.ts';
import { type SchemaRules, SCHEMA_RULES } from '../../../domain/tools/formats.ts';
import { reduceSchema } from '../../../domain/tools/reduce-schema.ts';

function rulesOf(format: 'openai' | 'anthropic'): SchemaRules {
  const rules = SCHEMA_RULES[format];
  if (rules === null) throw new Error(`${format} has rules`);
  return rules;
}
/** The same schemas each time: a run that others wait for is no place to look for new ones. */
const SEED = 4;

const RULES = { openai: rulesOf('openai'), anthropic: rulesOf('anthropic') };

const text = { type: 'string' };
const schemaOf = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...more,
});

describe.each<[string, JsonObject, JsonObject, [string, string][]]>([
  ['what it takes', schemaOf({ a: { ...text, minLength: 1 } }), schemaOf({ a: { ...text, minLength: 1 } }), []],
  [
    'a keyword that it does not take',
    schemaOf({ a: { type: 'object', minProperties: 1 } }),
    schemaOf({ a: { type: 'object' } }),
    [['/properties/a', 'minProperties']],
  ],
  [
    'oneOf below the top',
    schemaOf({ a: { oneOf: [text, { type: 'null' }] } }),
    schemaOf({ a: {} }),
    [['/properties/a', 'oneOf']],
  ],
  ['anyOf at the top', schemaOf({}, { anyOf: [{ required: ['a'] }] }), schemaOf({}), [['', 'anyOf']]],
  [
    'if, with what it decides',
    schemaOf({}, JSON.parse('{"if":{"required":["a"]},"then":{"required":["b"]}}') as JsonObject),
    schemaOf({}),
    [
      ['', 'if'],
      ['', 'then'],
    ],
  ],
  [
    'prefixItems, with the items after them',
    schemaOf({ a: { type: 'array', prefixItems: [text], items: false } }),
    schemaOf({ a: { type: 'array', items: {} } }),
    [
      ['/properties/a', 'prefixItems'],
      ['/properties/a/items', 'false'],
      ['/properties/a', 'items'],
    ],
  ],
  [
    'patternProperties, with the rest',
    schemaOf({}, { patternProperties: { '^x': text }, additionalProperties: false }),
    schemaOf({}),
    [
      ['', 'patternProperties'],
      ['', 'additionalProperties'],
    ],
  ],
  [
    'a reference to what was dropped',
    schemaOf({ a: { $ref: '#/$anchors/x' } }),
    schemaOf({ a: {} }),
    [['/properties/a', '$ref']],
  ],
  [
    'a recursive reference, which stays',
    schemaOf({ a: { $ref: '#/$defs/n' } }, { $defs: { n: schemaOf({ next: { $ref: '#/$defs/n' } }) } }),
    schemaOf({ a: { $ref: '#/$defs/n' } }, { $defs: { n: schemaOf({ next: { $ref: '#/$defs/n' } }) } }),
    [],
  ],
  [
    'a reference into data, which is no schema',
    schemaOf({ a: { $ref: '#/properties/default/default' }, default: { default: text } }),
    schemaOf({ a: {}, default: { default: text } }),
    [['/properties/a', '$ref']],
  ],
  [
    'a reference to a property with the name of a keyword, which stays',
    schemaOf({ a: { $ref: '#/properties/enum' }, enum: text }),
    schemaOf({ a: { $ref: '#/properties/enum' }, enum: text }),
    [],
  ],
  ['a schema that is true', schemaOf({ a: true }), schemaOf({ a: {} }), []],
  [
    'a const that looks like a schema, which stays',
    schemaOf({ a: { const: { oneOf: [1] } } }),
    schemaOf({ a: { const: { oneOf: [1] } } }),
    [],
  ],
])('for OpenAI, %s', (_what, original, reduced, dropped) => {
  it('is reduced, and said', () => {
    const result = reduceSchema(original, RULES.openai);
    expect(result.schema).toEqual(reduced);
    expect(result.dropped.map(({ path, keyword }) => [path, keyword])).toEqual(dropped);
  });
});

it('for Anthropic, a name of a property goes, and what counted on it', () => {
  const original = schemaOf(
    { näme: text, ok: text },
    { additionalProperties: false, not: { properties: { é: text } } },
  );
  const { schema, dropped } = reduceSchema(original, RULES.anthropic);
  expect(schema).toEqual(schemaOf({ ok: text }));
  expect(dropped.map(({ keyword }) => keyword).sort()).toEqual(['additionalProperties', 'not', 'näme']);
});

describe('nested schemas that are dropped where something in them is', () => {
  /** `not` in `not`, so deep, around an enum of a thousand numbers, beside something that is dropped; and how often their members were listed. */
  function visitsAt(depth: number): { listed: number; values: number } {
    const seen = { listed: 0, values: 0 };
    const counted = <T extends object>(target: T): T =>
      new Proxy(target, {
        ownKeys: (of) => (seen.listed++, Reflect.ownKeys(of)),
        get: (of, key): unknown => {
          if (Array.isArray(of) && typeof key === 'string' && /^\d+$/.test(key)) seen.values++;
          return Reflect.get(of, key);
        },
      });
    let nested: JsonObject = counted({ enum: counted(Array.from({ length: 1_000 }, (_, index) => index)) });
    for (let level = 0; level < depth; level++) nested = counted({ not: nested });
    const { dropped } = reduceSchema({ allOf: [{}], not: nested }, RULES.anthropic);
    expect(dropped.map(({ keyword }) => keyword)).toEqual(['allOf']);
    return seen;
  }

  it('are looked at a few times each, however deep they are, and their data never', () => {
    const [shallow, deep] = [visitsAt(10), visitsAt(50)];
    expect(shallow.listed).toBeGreaterThan(10);
    expect(deep.listed / shallow.listed).toBeLessThan(6);
    expect([shallow.values, deep.values]).toEqual([0, 0]);
  });
});

const leaf: fc.Arbitrary<JsonObject | boolean> = fc.oneof(
  fc.constantFrom<JsonObject | boolean>(
    true,
    false,
    {},
    text,
    { type: 'integer', minimum: 1 },
    { enum: [1, 'a', null] },
    { const: 'a' },
    { $ref: '#' },
    { $ref: '#/$defs/d' },
    { type: ['array', 'null'] },
  ),
);
const NAMES = ['a', 'b', 'é'];
const someOf = <T>(of: fc.Arbitrary<T>) => fc.dictionary(fc.constantFrom(...NAMES), of, { maxKeys: 3 });

/** Small schemas with a few keywords that hold others, in any mixture and depth up to three. */
const { schema: anySchema } = fc.letrec<{ schema: Json }>((tie) => {
  const schema = tie('schema');
  const some = fc.array(schema, { minLength: 1, maxLength: 2 });
  const keyword = <T>(name: string, value: fc.Arbitrary<T>) => value.map((made) => [name, made] as [string, unknown]);
  const keywords = fc.oneof(
    keyword('type', fc.constantFrom('object', 'array', 'string')),
    keyword('properties', someOf(schema)),
    keyword('patternProperties', fc.dictionary(fc.constantFrom('^a', 'b$'), schema, { maxKeys: 2 })),
    keyword('required', fc.uniqueArray(fc.constantFrom(...NAMES), { maxLength: 2 })),
    keyword('minProperties', fc.integer({ min: 0, max: 2 })),
    keyword('maxContains', fc.integer({ min: 1, max: 2 })),
    keyword('dependentSchemas', someOf(schema)),
    ...['additionalProperties', 'unevaluatedProperties', 'items', 'contains', 'not', 'if', 'then', 'else'].map((name) =>
      keyword(name, schema),
    ),
    ...['prefixItems', 'oneOf', 'anyOf', 'allOf'].map((name) => keyword(name, some)),
  );
  return {
    schema: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      leaf as fc.Arbitrary<Json>,
      fc
        .uniqueArray(keywords, { selector: ([name]) => name, minLength: 1, maxLength: 4 })
        .map((entries) => Object.fromEntries(entries) as Json),
    ),
  };
});
const topSchema = fc
  .tuple(anySchema, anySchema)
  .filter(([top]) => typeof top === 'object')
  .map(([top, d]) => ({ ...(top as JsonObject), type: 'object', $defs: { d } }));

const value: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2, depthSize: 'small' },
    fc.constantFrom<Json>(0, 1, 2, 'a', 'b', null, true),
    fc.array(tie('value'), { maxLength: 3 }) as fc.Arbitrary<Json>,
    someOf(tie('value')) as fc.Arbitrary<Json>,
  ),
})).value;
const inputs = fc.array(someOf(value), { minLength: 5, maxLength: 20 });

describe.each(['openai', 'anthropic'] as const)('a schema for %s', (format) => {
  it('accepts all that the original does, and the same where nothing was dropped', () => {
    let compared = 0;
    fc.assert(
      fc.property(topSchema, inputs, (original, given) => {
        const { schema, dropped } = reduceSchema(original, RULES[format]);
        const [before, after] = [validatorOf(original), validatorOf(schema)];
        for (const input of given) {
          const [was, is] = [before(input), after(input)];
          if (was === null || is === null) continue;
          compared++;
          if (was && !is) throw new Error(`refused: ${JSON.stringify({ input, schema, dropped })}`);
          if (dropped.length === 0 && was !== is) throw new Error(`accepted: ${JSON.stringify({ input, schema })}`);
        }
      }),
      { numRuns: 100, seed: SEED },
    );
    expect(compared).toBeGreaterThan(500);
  });

  it('has nothing that the format does not take', () => {
    const { keywords } = RULES[format];
    fc.assert(
      fc.property(topSchema, (original) => {
        const { schema } = reduceSchema(original, RULES[format]);
        const taken = (keyword: string): boolean => keywords?.has(keyword) ?? true;
        const isLegal = (keyword: string): boolean => taken(keyword) && !RULES[format].notAtTheTop.has(keyword);
        expect(Object.keys(schema).filter((keyword) => !isLegal(keyword))).toEqual([]);
      }),
      { numRuns: 200, seed: SEED },
    );
  });
});

/**
 * Whether the schema accepts the input. Null: Ajv cannot say, because the schema refers to itself without end (RangeError), or because
 * of the code that it makes for some prefixItems beside each other (ReferenceError: items0).
 */
function validatorOf(schema: JsonObject): (input: unknown) => boolean | null {
  const orNull = <T>(ask: () => T): T | null => {
    try {
      return ask();
    } catch (error) {
      if (error instanceof RangeError || error instanceof ReferenceError) return null;
      throw error;
    }
  };
  const ajv = new Ajv2020({ strict: false, logger: false, validateSchema: false, meta: false });
  const validate = orNull(() => ajv.compile(schema));
  return (input) => (validate === null ? null : orNull(() => validate(input)));
}
