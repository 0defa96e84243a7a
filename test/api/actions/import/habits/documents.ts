import { type Habit, describing } from './habit.ts';

export const WHOLE: readonly Habit[] = [
  {
    what: 'an operationId twice, as GET and HEAD',
    document: describing(
      '3.0.3',
      'get /x',
      {},
      { paths: { '/h': { get: { operationId: 'health' }, head: { operationId: 'health' } } } },
    ),
    sent: { url: '/h', method: 'GET' },
  },
  {
    what: 'empty security of the operation over that of the document',
    document: describing(
      '3.0.3',
      'get /h',
      { security: [] },
      {
        security: [{ key: [] }],
        components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } } },
      },
    ),
    sent: { url: '/h', headers: { 'x-key': undefined } },
  },
  {
    what: 'mutual TLS',
    document: describing(
      '3.1.0',
      'get /h',
      { security: [{ m: [] }] },
      { components: { securitySchemes: { m: { type: 'mutualTLS' } } } },
    ),
    skipped: /type mutualTLS, which is not supported/,
  },
  {
    what: 'YAML with anchors, merges, numbers for statuses and a text that looks like a boolean',
    document: `
openapi: 3.0.3
info: { title: habit, version: 1.0 }
servers: [{ url: '{target}' }]
x-ok: &ok { 200: { description: fine }, 4XX: { description: no } }
x-paged: &paged { name: page, in: query, schema: { type: integer } }
paths:
  /h:
    get:
      operationId: habit
      parameters: [*paged, { <<: *paged, name: on, schema: { type: string, enum: [yes, no] } }]
      responses: *ok
`,
    input: { query: { page: 2, on: 'yes' } },
    sent: { url: '/h?page=2&on=yes' },
  },
  {
    what: 'a callback, links and webhooks beside the operation',
    document: describing(
      '3.1.0',
      'post /h',
      { callbacks: { c: { $ref: 'elsewhere.yaml#/c' } } },
      { webhooks: { w: { post: { $ref: 'elsewhere.yaml' } } } },
    ),
    sent: { url: '/h', method: 'POST' },
  },
];
