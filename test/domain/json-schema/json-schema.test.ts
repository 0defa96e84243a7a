import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Json, JsonObject } from '../../../domain/json.ts';
import { checkSchema, compileSchema } from '../../../domain/json-schema/json-schema.ts';

const issues = (schema: JsonObject, value: Json): string[] =>
  compileSchema(schema)
    .validate(value)
    .map((issue) => `${issue.path}: ${issue.message}`);

const took = (work: () => unknown): number => {
  const startedAt = performance.now();
  work();
  return performance.now() - startedAt;
};

describe('validation', () => {
  const schema: JsonObject = {
    type: 'object',
    required: ['id', 'items'],
    properties: {
      id: { type: 'string', format: 'uuid' },
      items: {
        type: 'array',
        items: { type: 'object', required: ['sku'], properties: { n: { type: 'integer', minimum: 1 } } },
      },
      kind: { enum: ['a', 'b'] },
    },
    additionalProperties: false,
  };

  it('names every member that does not fit by its path', () => {
    expect(issues(schema, { id: 'x', items: [{ sku: 1 }, { n: 0 }], kind: 'c', extra: 1 }).sort()).toEqual([
      'input.extra: is not a known member',
      'input.id: must match format "uuid"',
      'input.items[1].n: must be >= 1',
      'input.items[1].sku: is required',
      'input.kind: must be one of ["a","b"]',
    ]);
    expect(issues(schema, { id: '018f3c1e-0000-7000-8000-000000000000', items: [] })).toEqual([]);
  });

  it('knows own members only', () => {
    expect(issues({ required: ['toString'] }, {})).toEqual(['input.toString: is required']);
    expect(issues({ properties: { constructor: { type: 'string' } } }, {})).toEqual([]);
  });

  it('follows references, anchors and unevaluatedProperties', () => {
    const tree: JsonObject = {
      type: 'object',
      required: ['n'],
      properties: { c: { type: 'array', items: { $ref: '#' } } },
    };
    expect(checkSchema(tree)).toEqual([]);
    expect(issues(tree, { n: 1, c: [{ n: 1 }, { c: [] }] })).toEqual(['input.c[1].n: is required']);
    const closed: JsonObject = {
      $defs: { base: { $anchor: 'base', properties: { a: { type: 'string' } } }, any: true },
      allOf: [{ $ref: '#base' }, { $ref: '#/$defs/any' }],
      unevaluatedProperties: false,
    };
    expect(checkSchema(closed)).toEqual([]);
    expect(issues(closed, { a: 'x', b: 1 })).toEqual(['input.b: is not a known member']);
  });

  it('does not confuse two schemas that carry one $id', () => {
    expect(issues({ $id: 'https://s.example/a', type: 'string' }, 'x')).toEqual([]);
    expect(issues({ $id: 'https://s.example/a', type: 'number' }, 'x')).toEqual(['input: must be number']);
  });

  it('compares items as JSON values', () => {
    expect(
      issues({ uniqueItems: true }, [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ]),
    ).toHaveLength(1);
    expect(issues({ uniqueItems: true }, [1, '1', [1], { a: 1 }, true, null])).toEqual([]);
    expect(issues({ uniqueItems: false }, [1, 1])).toEqual([]);
  });

  it('answers from the cache what it compiled before, and forgets the oldest', () => {
    const first = compileSchema({ title: 'first' });
    expect(compileSchema({ title: 'first' })).toBe(first);
    for (let n = 0; n < 500; n++) compileSchema({ title: `other ${n}` });
    expect(compileSchema({ title: 'first' })).not.toBe(first);
  });
});

describe('a schema', () => {
  it.each<[string, JsonObject, string]>([
    ['a wrong type', { type: 'strin' }, 'inputSchema.type'],
    ['a wrong keyword value', { properties: { a: { minLength: -1 } } }, 'inputSchema.properties.a.minLength'],
    ['items of an older draft', { items: [{}] }, 'inputSchema.items'],
    ['another dialect', { $schema: 'http://json-schema.org/draft-07/schema#' }, 'inputSchema.$schema'],
    ['a remote reference', { properties: { a: { $ref: 'https://x.example/s' } } }, 'inputSchema.properties.a.$ref'],
    ['a reference to nowhere', { $ref: '#/$defs/none' }, 'inputSchema.$ref'],
    ['a reference into data', { $ref: '#/const', const: {} }, 'inputSchema.$ref'],
    ['an inner $id', { $defs: { a: { $id: 'x' } } }, 'inputSchema.$defs.a.$id'],
    ['an asynchronous one', { $async: true }, 'inputSchema.$async'],
    ['a look-ahead', { properties: { a: { pattern: '(?=a)b' } } }, 'inputSchema.properties.a.pattern'],
    ['a back-reference', { patternProperties: { '(a)\\1': true } }, 'inputSchema.patternProperties.(a)\\1'],
    ['a broken pattern', { pattern: '[' }, 'inputSchema.pattern'],
    ['a huge pattern', { pattern: '(?:abcdefghijklmnopqrstuvwxyz){900}' }, 'inputSchema.pattern'],
  ])('with %s is refused', (_, schema, path) => {
    expect(checkSchema(schema).map((issue) => issue.path)).toContain(path);
  });

  it('is bounded in size and depth', () => {
    expect(checkSchema({ description: 'x'.repeat(65_536) })[0]?.message).toMatch(/larger than/);
    let deep: JsonObject = {};
    for (let n = 0; n < 5_000; n++) deep = { not: deep };
    expect(checkSchema(deep)[0]?.message).toMatch(/deep/);
  });

  it('may carry what is only a note', () => {
    const schema = {
      title: 't',
      example: 1,
      'x-note': { $ref: 'https://x' },
      format: 'unknown',
      const: { $ref: 'https://x' },
    };
    expect(checkSchema(schema)).toEqual([]);
    expect(checkSchema({ properties: { $ref: { type: 'string' }, pattern: { type: 'string' } } })).toEqual([]);
  });
});

describe('a hostile schema', () => {
  it('that refers to itself ends as an issue', () => {
    for (const schema of [
      { $ref: '#' },
      { $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' },
    ]) {
      expect(checkSchema(schema)).toEqual([]);
      expect(issues(schema, {})[0]).toMatch(/^input: cannot be validated/);
    }
  });

  it('that doubles its work at each step ends in time', () => {
    const $defs: JsonObject = { d40: false };
    for (let n = 0; n < 40; n++)
      $defs[`d${n}`] = { anyOf: [{ $ref: `#/$defs/d${n + 1}` }, { $ref: `#/$defs/d${n + 1}` }] };
    const schema = { $defs, $ref: '#/$defs/d0' };
    expect(took(() => expect(issues(schema, {})[0]).toMatch(/^input: cannot be validated/))).toBeLessThan(5_000);
  });

  it('with a pattern that back-tracks runs in linear time', () => {
    const schema = { properties: { a: { pattern: '^(a+)+$' } } };
    expect(took(() => expect(issues(schema, { a: `${'a'.repeat(50_000)}b` })).toHaveLength(1))).toBeLessThan(3_000);
  });

  it('with uniqueItems over many items runs in linear time', () => {
    const list = Array.from({ length: 100_000 }, (_, n) => ({ n }));
    expect(took(() => expect(issues({ uniqueItems: true }, list)).toEqual([]))).toBeLessThan(3_000);
  });

  it('with a format runs in bounded time', () => {
    const properties = Object.fromEntries(
      ['uri', 'email', 'hostname', 'uri-template', 'iri', 'date-time', 'duration'].map((format) => [
        format,
        { format },
      ]),
    );
    const value = Object.fromEntries(Object.keys(properties).map((format) => [format, `${'a.-{'.repeat(200_000)}!`]));
    expect(took(() => issues({ properties }, value))).toBeLessThan(3_000);
  });

  it('with very many errors answers with few', () => {
    const schema = { items: { allOf: Array.from({ length: 200 }, () => ({ type: 'string' })) } };
    expect(
      issues(
        schema,
        Array.from({ length: 100_000 }, () => 1),
      ).length,
    ).toBeLessThanOrEqual(50);
  });
});

it('names each issue of a small value also on a machine that was busy with something else meanwhile', () => {
  const members = ['a', 'b', 'c', 'd'];
  const schema = { properties: Object.fromEntries(members.map((name) => [name, { type: 'string' }])) };
  let nowMs = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => (nowMs += 1_000));
  onTestFinished(() => void vi.restoreAllMocks());
  expect(issues(schema, { a: 1, b: 2, c: 3, d: 'text' })).toEqual(
    ['a', 'b', 'c'].map((name) => `input.${name}: must be string`),
  );
});

it('holds each value to its own pattern where a schema has several', () => {
  const schema = {
    properties: { a: { pattern: '^a+$' }, b: { pattern: '^b+$' } },
    patternProperties: { '^x': { type: 'number' }, '^y': { type: 'string' } },
  };
  expect(issues(schema, { a: 'aa', b: 'bb', x1: 1, y1: 'text' })).toEqual([]);
  expect(issues(schema, { a: 'bb', b: 'aa', x1: 'text', y1: 1 })).toEqual([
    expect.stringContaining('input.a: must match pattern') as string,
    expect.stringContaining('input.b: must match pattern') as string,
    expect.stringContaining('input.x1') as string,
    expect.stringContaining('input.y1') as string,
  ]);
});
