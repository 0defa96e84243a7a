import type { Json } from '../../domain/json.ts';
import { PRODUCT } from '../../domain/product.ts';
import type { DocsSite } from './docs-site.ts';
import { NAVIGATION_PATH, PAGES_PATH, SEARCH_PATH } from './problems.ts';
import { GENERATOR, LIMIT_DEFAULT, LIMIT_MAX } from './queries.ts';
import { DOCS_SCHEMAS } from './schemas.ts';

/** Contract version of the documentation API (docs/versioning.md). */
const CONTRACT_VERSION = '2.0.3';

const DESCRIPTION =
  'Every operation is public, reads only, and needs no credential. Errors are problem details by RFC 9457 ' +
  '(`application/problem+json`) with a stable `code` and a `resolution`.';

type Content = [type: string, schema: string | null];

const response = (description: string, ...contents: Content[]): Json => ({
  description,
  content: Object.fromEntries(
    contents.map(([type, schema]): [string, Json] => [
      type,
      { schema: schema === null ? { type: 'string' } : { $ref: `#/components/schemas/${schema}` } },
    ]),
  ),
});
const json = (description: string, schema: string): Json => response(description, ['application/json', schema]);
const problem = (description: string): Json => response(description, ['application/problem+json', 'Problem']);

const query = (name: string, schema: Json, description: string, more: Record<string, Json> = {}): Json => ({
  name,
  in: 'query',
  required: false,
  description,
  schema,
  ...more,
});

const ROUTE_PARAMETER: Json = {
  name: 'route',
  in: 'path',
  required: true,
  description: 'The route of a page without its first slash; it may have slashes. `index` is the home page.',
  schema: { type: 'string' },
};

const SEARCH_PARAMETERS: Json[] = [
  {
    name: 'q',
    in: 'query',
    required: true,
    description: 'What to search for; what follows the first 200 characters is not looked at.',
    schema: { type: 'string', minLength: 1 },
  },
  query(
    'limit',
    { type: 'integer', minimum: 1, maximum: LIMIT_MAX, default: LIMIT_DEFAULT },
    'Pages at most. A number outside the range counts as the nearest in it.',
  ),
  query(
    'contentTypes',
    { type: 'array', items: { type: 'string' } },
    'Only pages of these types, separated by commas or repeated.',
    { style: 'form', explode: false },
  ),
  query('locale', { type: 'string' }, 'Only pages in this language. There is `en`.'),
  query('version', { type: 'string' }, '`latest`, `all` or a version. Ignored: the site has no versions.'),
  query(
    'filters',
    { type: 'object', additionalProperties: { type: 'string' } },
    'Only pages with these facets, as `filters[area]=messages`.',
    { style: 'deepObject', explode: true },
  ),
];

const operation = (
  operationId: string,
  tag: string,
  summary: string,
  responses: Record<string, Json>,
  more: Record<string, Json> = {},
): Json => ({
  operationId,
  tags: [tag],
  summary,
  ...more,
  responses: { ...responses, default: problem('An error.') },
});

const PATHS: Record<string, Json> = {
  [PAGES_PATH]: {
    get: operation('listPages', 'Pages', 'List every page', { 200: json('Every page.', 'PagesIndex') }),
  },
  '/api/docs/pages/{route}.json': {
    get: operation(
      'getPage',
      'Pages',
      'Get a page as JSON',
      { 200: json('The page.', 'Page'), 404: problem('No page has the route.') },
      { parameters: [ROUTE_PARAMETER] },
    ),
  },
  [NAVIGATION_PATH]: {
    get: operation('getNavigation', 'Navigation', 'Get the navigation', { 200: json('The tree.', 'Navigation') }),
  },
  [SEARCH_PATH]: {
    get: operation(
      'searchDocs',
      'Search',
      'Search the pages',
      {
        200: json('The pages that match, the best first.', 'SearchResponse'),
        400: problem('The query is missing or blank.'),
        429: problem('The network sends too many searches.'),
      },
      { parameters: SEARCH_PARAMETERS },
    ),
  },
  '/{route}.md': {
    get: operation(
      'getPageMarkdown',
      'Markdown',
      'Get a page as Markdown',
      {
        200: response('The Markdown of the page.', ['text/markdown', null]),
        404: response('No page has the route; says where to look.', ['text/markdown', null]),
      },
      { parameters: [ROUTE_PARAMETER] },
    ),
  },
  '/llms.txt': {
    get: operation('getLlmsTxt', 'Markdown', 'Get llms.txt', {
      200: response('The list of pages.', ['text/plain', null]),
    }),
  },
  '/llms-full.txt': {
    get: operation('getLlmsFullTxt', 'Markdown', 'Get every page in one file', {
      200: response('The Markdown of every page.', ['text/plain', null]),
    }),
  },
  '/agent-readability.json': {
    get: operation('getAgentReadability', 'Discovery', 'Get the manifest for agents', {
      200: json('The manifest.', 'AgentReadability'),
    }),
  },
  '/docs/mcp': {
    post: operation(
      'mcp',
      'MCP',
      'Call the MCP server',
      { 200: response('The answer.', ['application/json', 'JsonRpcResponse'], ['text/event-stream', null]) },
      {
        description:
          'Streamable HTTP without sessions. The tools `search_docs`, `get_page`, `list_pages` and `get_navigation` do what the operations here do.',
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/JsonRpcRequest' } } },
        },
      },
    ),
  },
};

const TAGS: Record<string, string> = {
  Pages: 'List and read pages.',
  Search: 'Find pages by words.',
  Navigation: 'How the pages are arranged.',
  Markdown: 'The pages as text.',
  Discovery: 'What is there for agents.',
  MCP: 'The same operations as tools.',
};

export function describeDocsApi(site: DocsSite): Json {
  return {
    openapi: '3.1.0',
    info: {
      title: `${PRODUCT.name}: documentation API`,
      version: CONTRACT_VERSION,
      description: DESCRIPTION,
      'x-generator': GENERATOR,
    },
    servers: [{ url: site.address('') || '/', description: PRODUCT.name }],
    security: [],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: PATHS,
    components: { schemas: DOCS_SCHEMAS },
  };
}
