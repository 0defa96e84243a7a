import { type Habit, describing, INT64, json, TEXT } from './habit.ts';

export const BODIES: readonly Habit[] = [
  {
    what: 'a merge patch with a charset, nullable enumerations and a format',
    document: describing(
      '3.0.3',
      'patch /h',
      json(
        {
          type: 'object',
          properties: {
            s: { ...TEXT, nullable: true, enum: ['a'] },
            d: { ...TEXT, format: 'date' },
            n: { type: 'number', minimum: 0, exclusiveMinimum: true },
          },
        },
        'application/merge-patch+json; charset=utf-8',
      ),
    ),
    input: { body: { s: null, d: '2026-01-31', n: 0.5 } },
    sent: {
      method: 'PATCH',
      body: '{"d":"2026-01-31","n":0.5,"s":null}',
      headers: { 'content-type': 'application/merge-patch+json' },
    },
    refused: [{ body: { n: 0 } }, /input\.body\.n/],
  },
  {
    what: 'Kubernetes: JSON Patch, a list',
    document: describing(
      '3.0.3',
      'patch /h',
      json(
        { type: 'array', items: { type: 'object', required: ['op'], properties: { op: { enum: ['add'] } } } },
        'application/json-patch+json',
      ),
    ),
    input: { body: [{ op: 'add' }] },
    sent: { body: '[{"op":"add"}]', headers: { 'content-type': 'application/json-patch+json' } },
  },
  {
    what: 'Kubernetes: int-or-string, and a member that is none of JSON Schema',
    document: describing(
      '3.0.3',
      'post /h',
      json({
        type: 'object',
        properties: {
          port: { 'x-kubernetes-int-or-string': true, format: 'int-or-string', oneOf: [TEXT, { type: 'integer' }] },
        },
      }),
    ),
    input: { body: { port: '80' } },
    sent: { body: '{"port":"80"}' },
  },
  {
    what: 'an upload beside JSON',
    document: describing('3.0.3', 'post /h', {
      requestBody: {
        required: true,
        content: { 'multipart/form-data': { schema: {} }, 'application/vnd.api+json': { schema: { type: 'object' } } },
      },
    }),
    input: { body: { a: 1 } },
    sent: { body: '{"a":1}', headers: { 'content-type': 'application/vnd.api+json' } },
  },
  {
    what: 'an upload alone',
    document: describing('3.0.3', 'post /h', json({}, 'multipart/form-data')),
    skipped: /multipart\/form-data, which cannot be written, and it is required/,
  },
  {
    what: 'a body that is a text',
    document: describing('3.0.3', 'post /h', json(TEXT, 'text/markdown')),
    input: { body: '# hi' },
    sent: { body: '# hi', headers: { 'content-type': 'text/markdown' } },
  },
  {
    what: 'members that are read-only and required',
    document: describing(
      '3.0.3',
      'post /h',
      json({ type: 'object', required: ['id', 'name'], properties: { id: { ...INT64, readOnly: true }, name: TEXT } }),
    ),
    input: { body: { name: 'n' } },
    sent: { body: '{"name":"n"}' },
  },
  {
    what: 'an id of 64 bits, in lists and nested',
    document: describing(
      '3.0.3',
      'post /h',
      json({
        type: 'object',
        properties: { id: INT64, more: { type: 'array', items: INT64 }, u: { type: 'integer', format: 'uint64' } },
      }),
    ),
    input: { body: { id: '9223372036854775807', more: ['-9007199254740993', 5], u: '18446744073709551615' } },
    sent: { body: '{"id":9223372036854775807,"more":[-9007199254740993,5],"u":18446744073709551615}' },
    refused: [{ body: { id: 'abc' } }, /must be an integer: a number, or a text of its digits/],
  },
  {
    what: 'Google: an id of 64 bits that is a text stays one',
    document: describing(
      '3.0.3',
      'post /h',
      json({ type: 'object', properties: { id: { type: 'string', format: 'int64' } } }),
    ),
    input: { body: { id: '9223372036854775807' } },
    sent: { body: '{"id":"9223372036854775807"}' },
  },
  {
    what: 'GitHub: a text or an id',
    document: describing('3.0.3', 'post /h', json({ type: 'object', properties: { id: { oneOf: [TEXT, INT64] } } })),
    input: { body: { id: '5' } },
    sent: { body: '{"id":"5"}' },
  },
  {
    what: 'a GET with a body',
    document: describing('3.0.3', 'get /h', {
      requestBody: { content: { 'application/json': { schema: { type: 'object', properties: { a: TEXT } } } } },
    }),
    sent: { url: '/h', body: '' },
    told: /its body is not sent with GET/,
  },
];
