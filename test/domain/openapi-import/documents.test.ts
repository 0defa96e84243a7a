import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../domain/json.ts';
import { DOCUMENT_BYTES_MAX, OPERATIONS_MAX } from '../../../domain/openapi-import/limits.ts';
import { TooMuchWork, type PlannedOperation } from '../../../domain/openapi-import/plan-import.ts';
import { action, describing, planned, refused } from './support.ts';

const YAML = `
openapi: 3.2.0
info: { title: "Things", version: 1.0 }
servers:
  - url: https://api.example.com
x-common: &common
  responses:
    200: { description: fine }
paths:
  /things:
    get: { <<: *common, operationId: things.list }
    post:
      <<: *common
      operationId: things.create
      requestBody:
        required: true
        content: { application/json: { schema: { type: object, properties: { on: { type: boolean } } } } }
`;

describe('a description', () => {
  it('is JSON, YAML or an object', () => {
    const asText = JSON.stringify(describing({}));
    for (const source of [describing({}), asText, `  \n${asText}`]) {
      expect(planned(source).map(({ name }) => name)).toEqual(['things.create']);
    }
    expect(planned(YAML).map(({ name, kind }) => [name, kind])).toEqual([
      ['things.list', 'action'],
      ['things.create', 'action'],
    ]);
  });

  it.each(['3.0.0', '3.0.4', '3.1.1', '3.2.0'])('of version %s', (openapi) => {
    expect(action(describing({}, { openapi })).name).toBe('things.create');
  });

  it.each([
    ['Swagger', { swagger: '2.0' }, /convert it to OpenAPI 3/],
    ['a later version', describing({}, { openapi: '4.0.0' }), /3\.0, 3\.1 and 3\.2/],
    ['something else', { a: 1 }, /member "openapi" must be a version/],
    ['of a version that YAML takes for a number', 'openapi: 3.1', /in quotes/],
    ['without paths that could be read', describing({}, { paths: 5 }), /"paths" that is no object/],
    ['nothing but its version', { openapi: '3.1.0' }, /has no operation/],
    ['without an operation below its paths', describing({}, { paths: { '/a': { summary: 'a' } } }), /has no operation/],
    ['of webhooks alone', describing({}, { paths: {}, webhooks: { a: { post: {} } } }), /has no operation/],
    ['a list', [] as Json, /is an object/],
    ['half of JSON', '{"openapi":"3.1.0"', /not valid JSON/],
    ['half of YAML', 'a: [', /not valid YAML/],
    ['two documents', 'a: 1\n---\nb: 2', /not valid YAML/],
    ['an empty text', '', /not valid YAML|is an object/],
  ] as [string, Json, RegExp][])('is refused where it is %s', (_what, source, message) => {
    const [issue] = refused(source);
    expect(issue?.path).toBe('body.document');
    expect(issue?.message).toMatch(message);
  });

  it('never quotes what it refuses', () => {
    for (const source of ['{"canary-text": nope', 'canary-text: [']) {
      expect(JSON.stringify(refused(source))).not.toContain('canary');
    }
  });
});

const notesOf = (one: PlannedOperation): string[] => (one.kind === 'action' ? one.notes : []);

describe('a hostile description', () => {
  const nested = (depth: number): Json => {
    let value: Json = {};
    for (let level = 0; level < depth; level++) value = { a: value };
    return value;
  };
  const keys = (count: number): string => Array.from({ length: count }, (_, index) => `k${index}: 1`).join(', ');
  const bomb = (levels: number): string => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]'];
    for (let level = 1; level < levels; level++) {
      lines.push(`a${level}: &a${level} [${Array.from({ length: 9 }, () => `*a${level - 1}`).join(', ')}]`);
    }
    return lines.join('\n');
  };
  const schemaBomb = (levels: number): string => {
    const lines = ['x-s0: &s0 { type: string }'];
    for (let level = 1; level <= levels; level++) {
      const previous = `*s${level - 1} `;
      lines.push(
        `x-s${level}: &s${level} { type: object, properties: { a: ${previous}, b: ${previous}, c: ${previous} } }`,
      );
    }
    return `${YAML}${lines.join('\n')}\n  \n`.replace('{ type: boolean }', `{ $ref: '#/x-s${levels}' }`);
  };

  it.each([
    ['nests too deep', describing({}, { 'x-deep': nested(400) }), /nested more than/],
    ['nests too deep as a text', `{"a":${'['.repeat(5_000)}${']'.repeat(5_000)}}`, /nested more than/],
    ['nests too deep in YAML', '['.repeat(5_000), /not valid YAML/],
    ['contains itself', 'a: &a [*a]', /contains itself|not valid YAML/],
    ['has a prototype', '{"openapi":"3.1.0","__proto__":{"a":1}}', /__proto__/],
    ['has a prototype in YAML', 'openapi: 3.1.0\npaths: { __proto__: { a: 1 } }', /__proto__/],
    ['has a NUL', describing({ summary: 'a\0b' }), /NUL/],
    ['has half a character', describing({ summary: 'a\ud800b' }), /surrogate/],
    ['has numbers of YAML alone', 'openapi: 3.1.0\nx: .inf', /number/],
    ['merges without end', `a: &a { ${keys(200)} }\nb: [${'{ <<: *a }, '.repeat(5_000)}]`, /not valid YAML/],
    ['is too large', `${' '.repeat(DOCUMENT_BYTES_MAX)}{}`, /larger than/],
    ['has too many aliases', `a: &a 1\nb: [${'*a, '.repeat(20_000)}]`, /not valid YAML/],
  ] as [string, Json, RegExp][])('is refused where it %s', (_what, source, message) => {
    expect(refused(source)[0]?.message).toMatch(message);
  });

  it('that is an alias bomb costs no more than its text', () => {
    // 9^30 values, if it were expanded.
    expect(refused(bomb(30))[0]?.message).toMatch(/member "openapi" must be a version/);
    const [, create] = planned(schemaBomb(30));
    expect(create?.kind).toBe('action');
    expect(JSON.stringify(create).length).toBeLessThan(70_000);
  });

  it('with too many values is refused before it is parsed', () => {
    const inJson = `{"openapi":"3.1.0","x":[${'{},'.repeat(800_000)}{}]}`;
    // YAML takes each of these as the end of a line.
    const inYaml = ['\n', '\r', '\r\n'].map((lineEnd) => `a:${lineEnd}${`- 1${lineEnd}`.repeat(1_600_000)}`);
    for (const source of [inJson, ...inYaml]) expect(refused(source)[0]?.message).toMatch(/holds more than/);
  });

  it('whose shared schemas are converted again and again is given up', () => {
    const properties = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`p${index}`, { type: 'string' }]));
    const content = { 'application/json': { schema: { $ref: '#/components/schemas/Wide' } } };
    const paths: JsonObject = {};
    for (let index = 0; index < 20; index++) paths[`/p${index}`] = { post: { requestBody: { content } } };
    const document = describing({}, { paths, components: { schemas: { Wide: { properties } } } });
    expect(planned(document, { convertedNodesMax: 3_000 })).toHaveLength(20);
    expect(() => planned(document, { convertedNodesMax: 1_000 })).toThrow(TooMuchWork);
  });

  it('with too many operations is refused', () => {
    const paths: JsonObject = {};
    for (let index = 0; index <= OPERATIONS_MAX; index++) paths[`/p${index}`] = { get: {} };
    expect(refused(describing({}, { paths }))[0]?.message).toMatch(/more than 2000 operations/);
  });

  it('with an operationId twice names all but one by method and path, in whatever order they stand', () => {
    const a = { get: { operationId: 'x' }, head: { operationId: 'x' } };
    const b = { put: { operationId: 'x' } };
    for (const paths of [
      { '/a': a, '/b': b },
      { '/b': b, '/a': a },
    ]) {
      const named = planned(describing({}, { paths })).map((one) => [one.operationId, one.name, notesOf(one)] as const);
      const note = 'its operationId x is that of GET /a too, so that it is named by method and path';
      expect(named.toSorted(([left], [right]) => (left < right ? -1 : 1))).toEqual([
        ['HEAD /a', 'head.a', [note]],
        ['PUT /b', 'put.b', [note]],
        ['x', 'x', []],
      ]);
    }
  });

  it('with an operationId like the name of another keeps them apart', () => {
    const paths = { '/a': { get: {}, put: { operationId: 'GET /a' } } };
    expect(planned(describing({}, { paths })).map(({ operationId }) => operationId)).toEqual(['GET /a (2)', 'GET /a']);
  });

  it('with one path that is too long, or parameters that are none, skips these operations alone', () => {
    const long = `/${'a'.repeat(3_000)}`;
    const faulty: [string, JsonObject, RegExp][] = [
      [long, {}, /has a path of 3001 characters/],
      ['/b', { parameters: { a: 1 } }, /parameters that are no list/],
      ['/c', { parameters: [null] }, /parameter that is no object/],
      ['/d', { parameters: [{ required: true, schema: {} }] }, /without a name or a place/],
    ];
    for (const [path, get, reason] of faulty) {
      const [first, second] = planned(describing({}, { paths: { [path]: { get }, '/z': { get: {} } } }));
      expect([first?.kind, second?.kind]).toEqual(['skipped', 'action']);
      expect(first).toMatchObject({ reason: expect.stringMatching(reason) as string });
    }
  });

  it('whose operations and path items are references has what they lead to, and what stands beside them', () => {
    const create = { operationId: 'mk', requestBody: { $ref: '#/components/requestBodies/B' }, responses: {} };
    const B = { required: true, content: { 'application/json': { schema: { type: 'object', required: ['name'] } } } };
    const document = describing(
      {},
      {
        paths: {
          '/far': { post: { $ref: 'resources/create.yml' } },
          '/near': { post: { $ref: '#/x-ops/again' } },
          '/item': { $ref: '#/components/pathItems/I', put: { operationId: 'own' } },
          '/round': { get: { $ref: '#/x-ops/round' } },
          '/text': { get: { $ref: '#/info/title' } },
        },
        'x-ops': { again: { $ref: '#/x-ops/mk' }, mk: create, round: { $ref: '#/x-ops/round' } },
        components: { requestBodies: { B }, pathItems: { I: { get: { operationId: 'got' }, put: {} } } },
      },
    );
    expect(planned(document).map((one) => [one.operationId, one.kind === 'skipped' ? one.reason : one.kind])).toEqual([
      ['POST /far', 'refers to resources/create.yml, which is outside of the document'],
      ['mk', 'action'],
      ['got', 'action'],
      ['own', 'action'],
      ['GET /round', 'refers to a reference that never ends'],
      ['GET /text', 'refers to something that is no object'],
    ]);
    const [made] = planned(document, { operations: ['mk'] });
    const schema = { properties: { body: { required: ['name'] } }, required: ['body'] };
    expect(made).toMatchObject({ config: { body: '{{input.body}}' }, inputSchema: schema });
  });

  it('with references in a circle skips the operation alone', () => {
    const [loops, other] = planned(
      describing(
        {},
        {
          paths: {
            '/a': { get: { parameters: [{ $ref: '#/components/parameters/A' }] } },
            '/b': { get: {} },
          },
          components: {
            parameters: { A: { $ref: '#/components/parameters/B' }, B: { $ref: '#/components/parameters/A' } },
          },
        },
      ),
    );
    expect(loops).toMatchObject({ kind: 'skipped', reason: 'refers to a reference that never ends' });
    expect(other?.kind).toBe('action');
  });
});
