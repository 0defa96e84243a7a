import { describe, expect, it } from 'vitest';
import { cheapWeight, isCheapFor } from '../../../domain/json-schema/cost.ts';
import type { Json, JsonObject } from '../../../domain/json.ts';

describe('a schema', () => {
  it('of an ordinary action is cheap', () => {
    const schema: JsonObject = {
      type: 'object',
      required: ['to', 'amount'],
      properties: {
        to: { type: 'string', format: 'email', maxLength: 200 },
        amount: { type: 'integer', minimum: 1 },
        currency: { enum: ['EUR', 'USD'] },
        slug: { pattern: '^[a-z0-9-]{1,64}$' },
        lines: { type: 'array', items: { type: 'object', properties: { sku: { type: 'string' } } } },
      },
      additionalProperties: false,
    };
    expect(cheapWeight(schema)).toBeGreaterThan(0);
  });

  it.each<[string, JsonObject]>([
    ['a reference', { properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: true } }],
    ['a dynamic reference', { $dynamicRef: '#a', $dynamicAnchor: 'a' }],
    ['uniqueItems', { properties: { a: { uniqueItems: true } } }],
    ['patterns for names', { patternProperties: { '^a': true } }],
    ['unevaluatedProperties', { unevaluatedProperties: false }],
    ['many subschemas', { anyOf: Array.from({ length: 30 }, () => ({ type: 'string' })) }],
    ['a huge enum', { enum: Array.from({ length: 500 }, (_, n) => n) }],
    ['a pattern that unrolls', { pattern: '((ab){30}){30}' }],
    ['a huge pattern', { pattern: 'x'.repeat(2_001) }],
    ['the same far inside', { not: { if: { prefixItems: [{ uniqueItems: true }] } } }],
  ])('with %s is not', (_, schema) => {
    expect(cheapWeight(schema)).toBeNull();
  });

  it('whose data only looks like keywords is', () => {
    expect(cheapWeight({ const: { $ref: '#', uniqueItems: true } })).toBeGreaterThan(0);
  });
});

describe('a value', () => {
  it.each<[string, Json, boolean]>([
    ['small', { to: 'a@example.com', amount: 3 }, true],
    ['a list of some hundred', Array.from({ length: 300 }, (_, n) => n), true],
    ['a long list', Array.from({ length: 10_000 }, (_, n) => n), false],
    ['many names', Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`n${n}`, n])), false],
    ['a long text, which a format may take quadratic time over', { to: 'x'.repeat(257) }, false],
  ])('%s', (_, value, isCheap) => {
    expect(isCheapFor(100, value)).toBe(isCheap);
  });

  it('weighs against its schema', () => {
    const value = Array.from({ length: 300 }, (_, n) => n);
    expect(isCheapFor(10, value)).toBe(true);
    expect(isCheapFor(400, value)).toBe(false);
  });
});
