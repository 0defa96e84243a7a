import { describe, expect, it } from 'vitest';
import { httpRequestDescriptor } from '../../../domain/adapters/http-request.ts';
import { impactOf } from '../../../domain/adapters/adapter-impact.ts';
import { policyFactsOf } from '../../../domain/approval-policies/facts.ts';
import type { PolicySubject } from '../../../domain/approval-policies/facts.ts';
import { SeenValues } from '../../../domain/approval-policies/seen-values.ts';
import { exactInput } from '../../../domain/json-schema/exact-input.ts';
import { checkSchema, compileSchema } from '../../../domain/json-schema/json-schema.ts';
import type { Json, JsonObject } from '../../../domain/json.ts';
import { renderVerify } from '../../../domain/adapters/http-request-verify.ts';
import { evaluated } from '../approval-policies/support.ts';
import { conditional } from '../openapi-import/support.ts';
import { definitionOf, IDENTITY, prepared } from '../http-request-fixtures.ts';

const INT64 = { type: ['integer', 'string'], format: 'int64' };
const UINT64 = { type: ['integer', 'string', 'null'], format: 'uint64' };
const LARGEST = '9223372036854775807';
const objectOf = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...more,
});

describe('a schema of an integer of 64 bits', () => {
  const messagesOf = (schema: JsonObject, value: Json): string[] =>
    compileSchema(objectOf({ v: schema }))
      .validate({ v: value })
      .map(({ path, message }) => `${path} ${message}`);

  it.each([LARGEST, '-9223372036854775808', '0', '-1', '5', 5, -7])('takes %j', (value) => {
    expect(checkSchema(objectOf({ v: INT64 }))).toEqual([]);
    expect(messagesOf(INT64, value)).toEqual([]);
  });

  it.each(['', 'abc', '1.5', '1e3', '+1', '01', '-0', ' 1', '1 ', '٣', '0x10', `${LARGEST}0`, '9'.repeat(40)])(
    'refuses %j, in words',
    (value) => {
      expect(messagesOf(INT64, value)).toEqual([expect.stringMatching(/^input\.v must be (an integer|from -)/)]);
    },
  );

  it.each([
    [INT64, '9223372036854775808', 'must be from -9223372036854775808 to 9223372036854775807 (int64)'],
    [INT64, '-9223372036854775809', 'must be from -9223372036854775808 to 9223372036854775807 (int64)'],
    [UINT64, '-1', 'must be from 0 to 18446744073709551615 (uint64)'],
    [UINT64, -1, 'must be at least 0'],
    [UINT64, '18446744073709551616', 'must be from 0 to 18446744073709551615 (uint64)'],
    [{ ...INT64, minimum: 1.5 }, '1', 'must be >= 2'],
    [{ ...INT64, maximum: 9 }, LARGEST, 'must be <= 9'],
    [{ ...INT64, exclusiveMinimum: 3 }, '3', 'must be > 3'],
    [{ ...INT64, exclusiveMaximum: 3 }, '3', 'must be < 3'],
    [{ ...INT64, multipleOf: 2 }, LARGEST, 'must be a multiple of 2'],
  ] as [JsonObject, Json, string][])('checks the range: %j, %j', (schema, value, message) => {
    expect(messagesOf(schema, value)).toEqual([`input.v ${message}`]);
  });

  it('takes the whole range where a bound beyond 2^53 was rounded', () => {
    expect(messagesOf({ ...INT64, maximum: 2 ** 63, minimum: -(2 ** 63) }, LARGEST)).toEqual([]);
    expect(messagesOf(UINT64, '18446744073709551615')).toEqual([]);
    expect(messagesOf(UINT64, null)).toEqual([]);
  });
});

describe('a text of digits', () => {
  const read = (schema: JsonObject, v: Json, more: JsonObject = {}): unknown =>
    exactInput(objectOf({ v: schema }, more), { v })['v'];

  it.each([
    ['alone', INT64, LARGEST, 9223372036854775807n],
    ['within 2^53', INT64, '5', 5],
    ['in a list', { items: INT64 }, [LARGEST, '7', 8], [9223372036854775807n, 7, 8]],
    ['in a tuple', { prefixItems: [{}, INT64], items: false }, ['1', '1'], ['1', 1]],
    ['in further members', objectOf({ a: {} }, { additionalProperties: INT64 }), { a: '1', b: '1' }, { a: '1', b: 1 }],
    ['in members by pattern', { patternProperties: { '^n': INT64 } }, { n1: '1', m: '1' }, { n1: 1, m: '1' }],
    ['in all of several', { allOf: [{ description: 'd' }, INT64] }, '1', 1],
    ['behind a reference', { $ref: '#/$defs/Id' }, '1', 1],
    ['with null in a choice', { anyOf: [INT64, { type: 'null' }] }, '1', 1],
    [
      'in the branch of its tag',
      { anyOf: [tagged('a', INT64), tagged('b', { type: 'string' })] },
      { t: 'a', n: '1' },
      { t: 'a', n: 1 },
    ],
    [
      'in the branch of another tag',
      { anyOf: [tagged('a', INT64), tagged('b', { type: 'string' })] },
      { t: 'b', n: '1' },
      { t: 'b', n: '1' },
    ],
    ['of a condition', conditional({ required: ['n'] }, objectOf({ n: INT64 })), { n: '1' }, { n: 1 }],
    ['of a dependent schema', { dependentSchemas: { t: objectOf({ n: INT64 }) } }, { n: '1', t: 1 }, { n: 1, t: 1 }],
  ] as [string, JsonObject, Json, unknown][])('becomes the number that it means: %s', (_what, schema, value, exact) => {
    expect(read(schema, value, { $defs: { Id: INT64 } })).toEqual(exact);
  });

  it.each([
    ['by a plain string', { type: 'string', format: 'int64' }, '1'],
    ['by no schema', {}, '1'],
    ['by a choice that takes texts', { anyOf: [{ type: 'string' }, INT64] }, '1'],
    ['by a choice that takes anything', { anyOf: [{}, INT64] }, '1'],
  ] as [string, JsonObject, Json][])('stays a text %s', (_what, schema, value) => {
    expect(read(schema, value)).toBe(value);
  });

  it('ends with a schema that refers to itself', () => {
    const schema = { $defs: { N: objectOf({ id: INT64, next: { $ref: '#/$defs/N' } }) }, $ref: '#/$defs/N' };
    expect(exactInput(schema, { id: '1', next: { id: LARGEST } })).toEqual({
      id: 1,
      next: { id: 9223372036854775807n },
    });
    expect(exactInput({ $defs: { A: { $ref: '#/$defs/A' } }, $ref: '#/$defs/A' }, { a: '1' })).toEqual({ a: '1' });
  });

  function tagged(name: string, n: JsonObject): JsonObject {
    return objectOf({ t: { const: name }, n });
  }
});

describe('an exact input', () => {
  const inputSchema = objectOf({ id: INT64, list: { type: 'array', items: INT64 }, u: UINT64 });
  const input = { id: LARGEST, list: [LARGEST, '2'], u: '18446744073709551615' };
  const requestOf = (config: JsonObject): { url: string; headers: Record<string, string>; body: string | null } => {
    const made = httpRequestDescriptor.prepare({
      definition: { ...definitionOf(config), inputSchema },
      input,
      identity: IDENTITY,
    });
    if (made.kind !== 'ready') throw new Error(JSON.stringify(made));
    return made.request;
  };

  it('is what the request says, at every place', () => {
    expect(requestOf({ body: { z: '{{input.id}}', a: '{{input.list}}', t: 'no {{input.id}}' } }).body).toBe(
      `{"a":[${LARGEST},2],"t":"no ${LARGEST}","z":${LARGEST}}`,
    );
    expect(requestOf({ body: '{{input}}', bodyForm: {} }).body).toBe(
      `id=${LARGEST}&list=${LARGEST}&list=2&u=18446744073709551615`,
    );
    const parameters = [
      { in: 'query', name: 'id', value: '{{input.id}}' },
      { in: 'query', name: 'j', value: '{{input.list}}', style: 'json' },
      { in: 'header', name: 'X-List', value: '{{input.list}}' },
    ];
    const { url, headers } = requestOf({ method: 'GET', url: 'https://x.example/{{input.id}}', parameters });
    expect(url).toBe(`https://x.example/${LARGEST}?id=${LARGEST}&j=%5B${LARGEST}%2C2%5D`);
    expect(headers['X-List']).toBe(`${LARGEST},2`);
    expect(prepared({ body: '{{input}}' }, { id: LARGEST }).body).toBe(`{"id":"${LARGEST}"}`);
  });

  it('is what a policy reads, as an int, or as a uint beyond', () => {
    const subject = {
      input,
      definition: { adapter: {}, approval: {}, inputSchema },
      action: {},
      environment: {},
      caller: {},
    };
    const facts = policyFactsOf(subject as unknown as PolicySubject);
    for (const expression of [
      `input.id == ${LARGEST}`,
      'input.id > 9007199254740993',
      'type(input.id) == int',
      `input.list[0] - ${LARGEST} + input.list[1] == 2`,
      'input.u == 18446744073709551615u',
      'input.u > 5',
    ]) {
      expect([expression, evaluated(expression, { input: facts.input })]).toEqual([
        expression,
        expect.objectContaining({ value: true }),
      ]);
    }
    const path = { variable: 'input', steps: ['id'], text: 'input.id' } as never;
    expect(new SeenValues(facts).of([path])).toEqual({ 'input.id': LARGEST });
  });

  it('is what an impact counts, as far as an amount can be exact', () => {
    const impact = [{ dimension: 'units', amount: { path: 'input.list[1]' }, bound: 'exact' as const }];
    const definition = { ...definitionOf({ body: {} }), inputSchema, impact };
    expect(impactOf(httpRequestDescriptor, definition, input)).toMatchObject({ ok: true, quantities: [{ amount: 2 }] });
    const beyond = { ...definition, impact: impact.map((one) => ({ ...one, amount: { path: 'input.id' } })) };
    expect(impactOf(httpRequestDescriptor, beyond, input)).toMatchObject({
      ok: false,
      refusal: { code: 'impact_unbounded', details: { issues: [{ message: 'input.id is too large to be exact' }] } },
    });
  });

  it('is what a read-back expects, as responses are read', () => {
    const verify = {
      request: { method: 'GET' as const, url: 'https://x.example/{{input.id}}' },
      expect: [
        { path: 'body.id', op: 'eq' as const, value: '{{input.id}}' },
        { path: 'body.two', op: 'eq' as const, value: '{{input.list[1]}}' },
      ],
    };
    const scope = { input: exactInput(inputSchema, input), identity: IDENTITY, response: null };
    expect(renderVerify(verify, scope)).toMatchObject({
      url: `https://x.example/${LARGEST}`,
      lists: { expect: [{ value: LARGEST }, { value: 2 }] },
    });
  });
});
