import { describe, expect, test } from 'vitest';
import { checkSchema, compileSchema } from '../../../domain/json-schema/json-schema.ts';
import { exampleShape } from '../../../domain/json-schema/example-shape.ts';
import type { Json, JsonObject } from '../../../domain/json.ts';

const said = (schema: JsonObject, value: Json): string[] =>
  compileSchema(schema)
    .validate(value)
    .map(({ path, message }) => `${path} ${message}`);

const CARD = {
  type: 'object',
  required: ['kind', 'number'],
  properties: { kind: { const: 'card' }, number: { type: 'string' } },
};
const BANK = {
  type: 'object',
  required: ['kind', 'iban'],
  properties: { kind: { const: 'bank' }, iban: { type: 'string' } },
};
const payment = (...branches: JsonObject[]): JsonObject => ({
  type: 'object',
  properties: { from: { anyOf: branches } },
  $defs: { card: CARD, bank: BANK },
});

describe('one mistake is one issue', () => {
  test.each<[string, JsonObject]>([
    ['of alternatives that are written out', payment(CARD, BANK)],
    ['of alternatives behind references', payment({ $ref: '#/$defs/card' }, { $ref: '#/$defs/bank' })],
  ])('%s', (_, schema) => {
    expect(said(schema, { from: { kind: 'bank' } })).toEqual(['input.from.iban is required']);
    expect(said(schema, { from: { kind: 'card', number: 5 } })).toEqual(['input.from.number must be string']);
    expect(said(schema, { from: { kind: 'bank', iban: 'x' } })).toEqual([]);
  });

  test('where no alternative is nearer, the choice is named once', () => {
    const schema = { properties: { id: { anyOf: [{ type: 'string' }, { type: 'integer' }] } } };
    expect(said(schema, { id: [] })).toEqual(['input.id is of no kind that is taken here']);
    expect(said(schema, { id: 1 })).toEqual([]);
  });

  test('of a value that fits too many of them', () => {
    const schema = { oneOf: [{ required: ['a'] }, { required: ['b'] }] };
    expect(said(schema, { a: 1, b: 1 })).toEqual(['input must match exactly one schema in oneOf']);
  });

  test('of a condition, of a list without what it must contain, and of a name', () => {
    const conditional = JSON.parse('{"if":{"properties":{"a":{"const":1}}},"then":{"required":["b"]}}') as JsonObject;
    expect(said(conditional, { a: 1 })).toEqual(['input.b is required']);
    expect(said({ properties: { l: { contains: { type: 'integer' } } } }, { l: ['a', 'b'] })).toEqual([
      'input.l must contain at least 1 valid item(s)',
    ]);
    expect(said({ propertyNames: { pattern: '^a' } }, { b: 1 })).toEqual(['input.b must match pattern "^a"']);
  });

  test('while two mistakes stay two', () => {
    const schema = payment(CARD, BANK);
    const two = { ...schema, required: ['note'] };
    expect(said(two, { from: { kind: 'card' } }).toSorted()).toEqual([
      'input.from.number is required',
      'input.note is required',
    ]);
  });

  test('in a schema that is written: an unknown type is said once', () => {
    for (const path of ['inputSchema', 'outputSchema']) {
      expect(checkSchema({ type: 'strnig' }, path)).toEqual([
        { path: `${path}.type`, message: expect.stringMatching(/^must be one of .*"string"/) },
      ]);
    }
    expect(checkSchema({ properties: { a: { type: 5 } } })).toHaveLength(1);
  });
});

describe('an object that is missing', () => {
  test('is shown by its required members', () => {
    const schema = { properties: { from: CARD } };
    expect(said(schema, { from: 'x' })).toEqual(['input.from must be an object such as {"kind":"card","number":"…"}']);
    expect(said({ properties: { from: { type: 'object' } } }, { from: 1 })).toEqual(['input.from must be an object']);
  });

  test.each<[string, JsonObject, string | null]>([
    [
      'types',
      {
        required: ['a', 'b', 'c', 'd'],
        properties: { a: { type: 'integer' }, b: { type: 'boolean' }, c: { type: 'array' }, d: {} },
      },
      '{"a":1,"b":true,"c":[],"d":"…"}',
    ],
    [
      'bounds and choices',
      { properties: { a: { type: 'integer', minimum: 5 }, b: { enum: ['x', 'y'] } } },
      '{"a":5,"b":"x"}',
    ],
    [
      'a level deeper, and no more',
      {
        required: ['a'],
        properties: { a: { required: ['b'], properties: { b: { required: ['c'], properties: { c: {} } } } } },
      },
      '{"a":{"b":{}}}',
    ],
    ['nothing', { type: 'object' }, null],
  ])('%s', (_, schema, expected) => {
    expect(exampleShape(schema)).toBe(expected);
  });
});
