import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../domain/json.ts';
import { checkSchema, compileSchema } from '../../../domain/json-schema/json-schema.ts';
import { action, bodySchema, describing, skipped } from './support.ts';

const OLD = { openapi: '3.0.3' };
const withBody = (schema: JsonObject, more: JsonObject = {}): JsonObject =>
  describing({ requestBody: { required: true, content: { 'application/json': { schema } } } }, more);
const components = (schemas: JsonObject): JsonObject => ({ components: { schemas } });

describe('a schema of OpenAPI 3.0', () => {
  it.each([
    [{ type: 'string', nullable: true }, { type: ['string', 'null'] }],
    [
      { type: 'string', nullable: true, enum: ['a'] },
      { type: ['string', 'null'], enum: ['a', null] },
    ],
    [{ nullable: true, allOf: [{ type: 'object' }] }, { anyOf: [{ allOf: [{ type: 'object' }] }, { type: 'null' }] }],
    [
      { type: 'integer', minimum: 1, exclusiveMinimum: true },
      { type: 'integer', exclusiveMinimum: 1 },
    ],
    [
      { type: 'integer', maximum: 1, exclusiveMaximum: false },
      { type: 'integer', maximum: 1 },
    ],
    [{ type: 'string', example: 'x', xml: {}, 'x-own': 1 }, { type: 'string' }],
    [
      { type: 'object', discriminator: { propertyName: 'a' }, oneOf: [{ type: 'object' }] },
      { type: 'object', oneOf: [{ type: 'object' }] },
    ],
    [
      { type: 'object', required: ['a', 'b'], properties: { a: { type: 'string', readOnly: true }, b: {} } },
      { type: 'object', required: ['b'], properties: { a: { type: 'string', readOnly: true }, b: {} } },
    ],
  ] as [JsonObject, JsonObject][])('%j', (schema, converted) => {
    expect(bodySchema(schema, OLD)).toEqual(converted);
  });

  it('has nothing beside a reference', () => {
    const more = { ...OLD, ...components({ A: { type: 'string' } }) };
    expect(bodySchema({ $ref: '#/components/schemas/A', maxLength: 1 }, more)).toEqual({ $ref: '#/$defs/A' });
  });
});

describe('a schema of OpenAPI 3.1', () => {
  it('is kept, with what stands beside a reference', () => {
    const more = components({ A: { type: ['string', 'null'] } });
    const schema = { $ref: '#/components/schemas/A', maxLength: 1 };
    expect(bodySchema(schema, more)).toEqual({ maxLength: 1, $ref: '#/$defs/A' });
    const kept = JSON.parse(
      '{"if":{"const":1},"then":{"not":{}},"patternProperties":{"^x":{}},"prefixItems":[{}],"contains":{}}',
    ) as JsonObject;
    expect(bodySchema(kept)).toEqual(kept);
  });

  it('loses what no validator takes, and the action says so', () => {
    const schema = {
      type: 'object',
      properties: {
        a: { type: 'any', required: true },
        b: { type: 'string', pattern: '(?!no)back-tracking', maxLength: -1, enum: [] },
      },
    };
    const { inputSchema, notes } = action(withBody(schema));
    expect(checkSchema(inputSchema)).toEqual([]);
    expect(inputSchema).toMatchObject({ properties: { body: { properties: { a: {}, b: { type: 'string' } } } } });
    for (const keyword of ['type', 'required', 'pattern', 'maxLength', 'enum']) {
      expect(notes).toContain(`${keyword} that cannot be used was left out of the schema`);
    }
  });
});

describe('references', () => {
  it('make $defs, once each, and recursive ones stay recursive', () => {
    const more = components({
      Node: {
        type: 'object',
        properties: { next: { $ref: '#/components/schemas/Node' }, leaf: { $ref: '#/components/schemas/Leaf' } },
      },
      Leaf: { type: 'integer' },
    });
    const { inputSchema } = action(withBody({ $ref: '#/components/schemas/Node' }, more));
    expect(Object.keys(inputSchema['$defs'] as JsonObject).toSorted()).toEqual(['Leaf', 'Node']);
    const schema = compileSchema(inputSchema);
    const nested = (leaf: Json): JsonObject => ({ body: { next: { next: { leaf } } } });
    expect(schema.validate(nested(1))).toEqual([]);
    expect(schema.validate(nested('x'))).toMatchObject([{ path: 'input.body.next.next.leaf' }]);
  });

  it('of one name keep apart', () => {
    const more = { components: { schemas: { A: { type: 'string' } }, 'x-other': { A: { type: 'integer' } } } };
    const schema = { allOf: [{ $ref: '#/components/schemas/A' }, { $ref: '#/components/x-other/A' }] };
    const { inputSchema } = action(withBody(schema, more));
    expect(inputSchema['$defs']).toEqual({ A: { type: 'string' }, A_2: { type: 'integer' } });
  });

  it.each([
    ['outside', 'other.yaml#/A', /outside of the document/],
    ['to an address', 'https://schemas.example/a', /outside of the document/],
    ['to nowhere', '#/components/schemas/Nope', /does not exist/],
    ['to a prototype', '#/components/schemas/constructor', /does not exist/],
    ['to the document', '#', /does not exist/],
    ['to a text', '#/info/title', /is no schema/],
  ])('%s skip the operation', (_what, $ref, reason) => {
    expect(skipped(withBody({ properties: { a: { $ref } } }, components({})))).toMatch(reason);
  });

  it('that apply a schema to itself skip the operation', () => {
    for (const A of [
      { $ref: '#/components/schemas/A' },
      { allOf: [{ $ref: '#/components/schemas/B' }] },
      { type: 'object', not: { oneOf: [{ $ref: '#/components/schemas/A' }] } },
    ]) {
      const more = components({ A, B: { anyOf: [{ type: 'string' }, { $ref: '#/components/schemas/A' }] } });
      expect(skipped(withBody({ $ref: '#/components/schemas/A' }, more))).toMatch(/never ends|without end/);
    }
  });
});

describe('a large schema', () => {
  const wide = (count: number, description: string, depth: number): JsonObject => {
    const leaf: JsonObject = { type: 'string', description, maxLength: 3 };
    let schema: JsonObject = leaf;
    for (let level = 0; level < depth; level++) schema = { type: 'object', properties: { in: schema, x: leaf } };
    return {
      type: 'object',
      properties: Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, schema])),
    };
  };

  it('loses its descriptions first', () => {
    const { inputSchema, notes } = action(withBody(wide(200, 'd'.repeat(2_000), 0)));
    expect(checkSchema(inputSchema)).toEqual([]);
    expect(notes).toEqual([]);
    expect(compileSchema(inputSchema).validate({ body: { p199: 'long' } })).toHaveLength(1);
    expect(JSON.stringify(inputSchema)).toContain('ddd…');
  });

  it('then what is far down, down to its type, and the action says so', () => {
    const { inputSchema, notes } = action(withBody(wide(60, 'd', 20)));
    expect(checkSchema(inputSchema)).toEqual([]);
    expect(notes).toEqual(['the schema is checked to a limited depth, because it is large']);
    const schema = compileSchema(inputSchema);
    expect(schema.validate({ body: { p0: { x: 'long' } } })).toHaveLength(1);
    expect(schema.validate({ body: { p59: 'no object' } })).toHaveLength(1);
    const deep = JSON.parse(`${'{"in":'.repeat(20)}"longer than three"${'}'.repeat(20)}`) as Json;
    expect(schema.validate({ body: { p0: deep } })).toEqual([]);
  });

  it('is never multiplied by its references', () => {
    const schemas: JsonObject = { L40: { type: 'string' } };
    for (let level = 0; level < 40; level++) {
      const next = { $ref: `#/components/schemas/L${level + 1}` };
      schemas[`L${level}`] = { type: 'object', properties: { a: next, b: next, c: next } };
    }
    const { inputSchema } = action(withBody({ $ref: '#/components/schemas/L0' }, components(schemas)));
    expect(checkSchema(inputSchema)).toEqual([]);
    expect(JSON.stringify(inputSchema).length).toBeLessThan(10_000);
  });
});
