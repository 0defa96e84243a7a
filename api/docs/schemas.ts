import type { Json } from '../../domain/json.ts';

/** The JSON Schemas of the documentation API (draft 2020-12): its OpenAPI description has them, and a test holds every reply to them. */

type Properties = Record<string, Json>;

const string = (description: string): Json => ({ type: 'string', description });
const address = (description: string): Json => ({ type: 'string', format: 'uri-reference', description });
const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });
const listOf = (name: string): Json => ({ type: 'array', items: ref(name) });
const object = (description: string, required: Properties, optional: Properties = {}): Json => ({
  type: 'object',
  description,
  properties: { ...required, ...optional },
  required: Object.keys(required),
});

const FACETS: Json = {
  type: 'object',
  additionalProperties: { type: 'string' },
  description: 'What the page is about, by name; `area` is the area of the product.',
};
const VERSION = string(
  'The version that the page belongs to: empty for the current one. Absent: the site has no versions.',
);
const BADGES: Properties = { badge: { type: 'string' }, icon: { type: 'string' } };

const SUMMARY_REQUIRED: Properties = {
  contentType: string('The type of the page, such as `guide`, `reference` or `operation`.'),
  json: address('The page as JSON.'),
  lastModified: {
    type: ['string', 'null'],
    description: 'When the page was last changed, ISO 8601; null when that is not known.',
  },
  locale: string('The language of the page.'),
  markdownUrl: address('The page as Markdown.'),
  route: string('The route of the page, such as `/guides/install`; `/` is the home page.'),
  title: { type: 'string' },
  url: address('The page for people.'),
};
const SUMMARY_OPTIONAL: Properties = { description: { type: 'string' }, facets: FACETS, version: VERSION };

export const DOCS_SCHEMAS = {
  PagesIndex: object('Every page, in the order of the navigation.', {
    count: { type: 'integer', minimum: 0 },
    generator: string('What made the index, and its version.'),
    pages: listOf('PageSummary'),
    site: {
      type: ['string', 'null'],
      description: 'The origin that addresses begin with; null when they are relative to the root.',
    },
  }),
  PageSummary: object('A page without its content.', SUMMARY_REQUIRED, SUMMARY_OPTIONAL),
  Page: object(
    'A page with its Markdown, the same text as at `markdownUrl`.',
    { ...SUMMARY_REQUIRED, markdown: string('The Markdown, with its frontmatter block.') },
    SUMMARY_OPTIONAL,
  ),
  Navigation: object(
    'How the pages are arranged.',
    {
      featured: listOf('NavLink'),
      selectors: listOf('NavSelector'),
      sidebar: listOf('NavNode'),
      tabs: listOf('NavTab'),
    },
    {
      actions: listOf('NavLink'),
      cta: { oneOf: [ref('NavLink'), { type: 'null' }] },
      repoUrl: { type: ['string', 'null'] },
      root: { type: 'string' },
    },
  ),
  NavLink: object('A link.', { href: { type: 'string' }, label: { type: 'string' } }, { icon: { type: 'string' } }),
  NavNode: { oneOf: [ref('NavPage'), ref('NavGroup')] },
  NavPage: object(
    'A page in the sidebar.',
    { kind: { const: 'page' }, label: { type: 'string' }, pageId: { type: 'string' }, route: { type: 'string' } },
    { ...BADGES, deprecated: { type: 'boolean' }, description: { type: 'string' } },
  ),
  NavGroup: object(
    'A group of the sidebar.',
    { kind: { const: 'group' }, label: { type: 'string' }, children: listOf('NavNode') },
    {
      ...BADGES,
      collapsed: { type: 'boolean' },
      path: string('What the routes in it begin with; not a link.'),
      route: string('The route of the page of the group.'),
    },
  ),
  NavSelector: object('A choice between parts of the site.', {
    items: {
      type: 'array',
      items: object(
        'One of them.',
        { label: { type: 'string' }, path: { type: 'string' } },
        { description: { type: 'string' }, tag: { type: 'string' } },
      ),
    },
    kind: { enum: ['dropdown', 'language', 'product', 'version'] },
    label: { type: 'string' },
  }),
  NavTab: object(
    'A tab at the top.',
    { label: { type: 'string' }, path: { type: 'string' } },
    { href: { type: 'string' }, icon: { type: 'string' } },
  ),
  SearchResponse: object('The pages that match, the best first.', {
    count: { type: 'integer', minimum: 0 },
    query: string('The query, without white space around it.'),
    results: listOf('SearchHit'),
  }),
  SearchHit: object(
    'A page that matches.',
    {
      excerpt: string('The description of the page, else its first 200 characters.'),
      route: { type: 'string' },
      title: { type: 'string' },
      url: address('The page for people.'),
    },
    { contentType: { type: 'string' }, facets: FACETS, version: VERSION },
  ),
  AgentReadability: object(
    'What the site has for agents.',
    {
      artifacts: object(
        'Where each is.',
        {
          markdown: object(
            'The pages as Markdown.',
            { pattern: { type: 'string' } },
            { contentNegotiation: { type: 'string' } },
          ),
        },
        {
          api: object('The documentation API.', {
            openapi: { type: 'string' },
            pages: { type: 'string' },
            search: { type: 'string' },
          }),
          llmsTxt: { type: 'string' },
          llmsFullTxt: { type: 'string' },
          mcp: object('The MCP server.', { discovery: { type: 'string' }, url: { type: 'string' } }),
          sitemap: { type: 'string' },
        },
      ),
      name: { type: 'string' },
      site: { type: ['string', 'null'] },
    },
    { description: { type: 'string' }, generator: { type: 'string' }, repository: { type: 'string' } },
  ),
  Problem: object(
    'An error: problem details by RFC 9457.',
    {
      code: string('Stable: match on it.'),
      detail: { type: 'string' },
      resolution: string('What to do next.'),
      status: { type: 'integer' },
      title: { type: 'string' },
      type: string('`about:blank`.'),
    },
    {
      instance: { type: 'string' },
      links: {
        type: 'array',
        items: object('Where to go.', { href: { type: 'string' }, label: { type: 'string' } }),
      },
    },
  ),
  JsonRpcRequest: object(
    'A message of the Model Context Protocol.',
    { jsonrpc: { const: '2.0' }, method: { type: 'string' } },
    { params: { type: 'object' }, id: { type: ['string', 'integer', 'null'] } },
  ),
  JsonRpcResponse: object(
    'The answer to one.',
    { jsonrpc: { const: '2.0' } },
    {
      id: { type: ['string', 'integer', 'null'] },
      result: { type: 'object' },
      error: object('Why there is none.', { code: { type: 'integer' }, message: { type: 'string' } }, { data: {} }),
    },
  ),
} satisfies Record<string, Json>;
