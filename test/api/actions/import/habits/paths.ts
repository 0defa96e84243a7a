import { type Habit, describing, json, query, TEXT } from './habit.ts';

export const PATHS: readonly Habit[] = [
  {
    what: 'Box: a path with a fragment',
    document: describing('3.0.3', 'get /h/{id}#shared', {
      parameters: [
        { name: 'id', in: 'path', required: true, schema: TEXT },
        query('fields', { required: true, schema: TEXT }),
      ],
    }),
    input: { path: { id: 'a#b' }, query: { fields: '#x' } },
    sent: { url: '/h/a%23b?fields=%23x' },
  },
  {
    what: 'AWS: a query within the path',
    document: describing('3.0.3', 'get /h?Action=List', { parameters: [query('n', { schema: TEXT })] }),
    input: { query: { n: '1' } },
    sent: { url: '/h?Action=List&n=1' },
  },
  {
    what: 'Google: a colon and two parameters in one segment',
    document: describing('3.0.3', 'post /h/{a}-{b}:cancel', {}),
    input: { path: { a: 'x/y', b: 'z' } },
    sent: { url: '/h/x%2Fy-z:cancel', method: 'POST' },
  },
  {
    what: 'Twilio: a dot after the parameter, a form, and a path-level server',
    document: describing(
      '3.0.3',
      'post /skip',
      {},
      {
        servers: [{ url: 'https://other.example' }],
        paths: {
          '/h/{Sid}.json': {
            servers: [{ url: '{target}' }],
            parameters: [{ name: 'Sid', in: 'path', required: true, schema: TEXT }],
            post: json(
              { type: 'object', properties: { To: TEXT, MediaUrl: { type: 'array', items: TEXT } } },
              'application/x-www-form-urlencoded',
            ),
          },
        },
      },
    ),
    input: { path: { Sid: 'AC1' }, body: { To: '+1', MediaUrl: ['a', 'b'] } },
    sent: { url: '/h/AC1.json', body: 'MediaUrl=a&MediaUrl=b&To=%2B1' },
  },
  {
    what: 'server variables with defaults, and a base path',
    document: describing(
      '3.0.3',
      'get /h',
      {},
      {
        servers: [{ url: '{target}/{v}/', variables: { v: { enum: ['v1', 'v2'], default: 'v2' } } }],
      },
    ),
    sent: { url: '/v2/h' },
  },
  {
    what: 'a server variable without a default, before one that can be used',
    document: describing(
      '3.0.3',
      'get /h',
      {},
      { servers: [{ url: 'https://{region}.example' }, { url: '{target}' }] },
    ),
    sent: { url: '/h' },
  },
  {
    what: 'a relative server without an address of the document',
    document: describing('3.0.3', 'get /h', {}, { servers: [{ url: '/api' }] }),
    skipped: /no server with an absolute http or https URL/,
  },
  {
    what: 'DigitalOcean: an operation in another file',
    document: describing('3.0.3', 'post /h', { $ref: 'resources/create.yml' }),
    skipped: /refers to resources\/create\.yml, which is outside of the document/,
  },
  {
    what: 'an operation that is a reference to a reference',
    document: describing(
      '3.0.3',
      'post /x',
      {},
      {
        paths: { '/h': { post: { $ref: '#/x-ops/a' } } },
        'x-ops': {
          a: { $ref: '#/x-ops/b' },
          b: json({ type: 'object', required: ['name'], properties: { name: TEXT } }),
        },
      },
    ),
    input: { body: { name: 'n' } },
    sent: { body: '{"name":"n"}' },
    refused: [{ body: {} }, /input\.body\.name is required|"input\.body\.name"|name/],
  },
  {
    what: 'a path item by reference, with parameters beside it',
    document: describing(
      '3.1.0',
      'get /x',
      {},
      {
        paths: { '/h': { $ref: '#/components/pathItems/P', parameters: [query('q', { schema: TEXT })] } },
        components: { pathItems: { P: { get: { responses: {} } } } },
      },
    ),
    input: { query: { q: '1' } },
    sent: { url: '/h?q=1' },
  },
];
