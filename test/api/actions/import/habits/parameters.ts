import { type Habit, describing, INT64, query, TEXT } from './habit.ts';

export const PARAMETERS: readonly Habit[] = [
  {
    what: 'Stripe: deepObject in the query',
    document: describing('3.0.3', 'get /h', {
      parameters: [
        query('created', {
          style: 'deepObject',
          explode: true,
          schema: { anyOf: [{ type: 'object', properties: { gte: INT64 } }, { type: 'integer' }] },
        }),
      ],
    }),
    input: { query: { created: { gte: '9007199254740993' } } },
    sent: { url: '/h?created%5Bgte%5D=9007199254740993' },
  },
  {
    what: 'Slack: a list in one parameter',
    document: describing('3.0.3', 'get /h', {
      parameters: [query('ids', { explode: false, schema: { type: 'array', items: TEXT } })],
    }),
    input: { query: { ids: ['a', 'b c'] } },
    sent: { url: '/h?ids=a,b%20c' },
    refused: [{ query: { ids: ['a', 'b,c'] } }, /holds \\",\\"/],
  },
  {
    what: 'bars between the items',
    document: describing('3.0.3', 'get /h', {
      parameters: [query('t', { style: 'pipeDelimited', explode: false, schema: { type: 'array', items: INT64 } })],
    }),
    input: { query: { t: [1, '9223372036854775807'] } },
    sent: { url: '/h?t=1%7C9223372036854775807' },
  },
  {
    what: 'blanks between the items',
    document: describing('3.0.3', 'get /h', {
      parameters: [query('t', { style: 'spaceDelimited', explode: false, schema: { type: 'array', items: TEXT } })],
    }),
    input: { query: { t: ['a', 'b'] } },
    sent: { url: '/h?t=a%20b' },
    refused: [{ query: { t: ['a b'] } }, /separates the items/],
  },
  {
    what: 'Rails: brackets in the name of a parameter',
    document: describing('3.0.3', 'get /h', {
      parameters: [query('ids[]', { schema: { type: 'array', items: TEXT } })],
    }),
    input: { query: { 'ids[]': ['a', 'b'] } },
    sent: { url: '/h?ids%5B%5D=a&ids%5B%5D=b' },
  },
  {
    what: 'Jira: a parameter that holds JSON',
    document: describing('3.0.3', 'get /h', {
      parameters: [query('jql', { content: { 'application/json': { schema: { type: 'object' } } } })],
    }),
    input: { query: { jql: { a: [1] } } },
    sent: { url: '/h?jql=%7B%22a%22%3A%5B1%5D%7D' },
  },
  {
    what: 'a parameter that holds plain text by content',
    document: describing('3.0.3', 'get /h', {
      parameters: [query('t', { content: { 'text/plain': { schema: TEXT } } })],
    }),
    input: { query: { t: 'a b' } },
    sent: { url: '/h?t=a%20b' },
  },
  {
    what: 'headers that the service or the security sets',
    document: describing('3.0.3', 'get /h', {
      parameters: ['Accept', 'Content-Type', 'Authorization', 'Host', 'Cookie'].map((name) => ({
        name,
        in: 'header',
        schema: TEXT,
      })),
    }),
    sent: { url: '/h', headers: { authorization: undefined, cookie: undefined } },
    told: /Host is a header that the service sets itself and was left out; .*Cookie/,
  },
  {
    what: 'one header twice, in two spellings: the operation’s own counts',
    document: describing(
      '3.0.3',
      'get /x',
      {},
      {
        paths: {
          '/h': {
            parameters: [{ name: 'X-Trace', in: 'header', required: true, schema: INT64 }],
            get: { parameters: [{ name: 'x-trace', in: 'header', schema: TEXT }] },
          },
        },
      },
    ),
    input: { headers: { 'x-trace': 'abc' } },
    sent: { headers: { 'x-trace': 'abc' } },
  },
  {
    what: 'a header and a path of 64 bits',
    document: describing('3.0.3', 'get /h/{id}', {
      parameters: [
        { name: 'id', in: 'path', required: true, schema: INT64 },
        { name: 'X-Id', in: 'header', schema: INT64 },
      ],
    }),
    input: { path: { id: '9223372036854775807' }, headers: { 'X-Id': '-9223372036854775808' } },
    sent: { url: '/h/9223372036854775807', headers: { 'x-id': '-9223372036854775808' } },
    refused: [{ path: { id: '9223372036854775808' } }, /must be from -9223372036854775808/],
  },
  {
    what: 'a list in the path',
    document: describing('3.1.0', 'get /h/{ids}', {
      parameters: [{ name: 'ids', in: 'path', required: true, schema: { type: ['array', 'null'] } }],
    }),
    skipped: /a list or an object within the path, and it is required/,
  },
  {
    what: 'parameters that are no list',
    document: describing('3.0.3', 'get /h', { parameters: { $ref: '#/components/x' } }),
    skipped: /parameters that are no list/,
  },
  {
    what: 'OpenAPI 3.2: the whole query as one parameter',
    document: describing('3.2.0', 'get /h', {
      parameters: [{ name: 'q', in: 'querystring', content: { 'application/json': {} } }],
    }),
    sent: { url: '/h' },
    told: /querystring parameter q is in a place that is not supported/,
  },
];
