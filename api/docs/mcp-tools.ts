import { Server } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { DocsSearch } from '../../domain/docs/search.ts';
import { PRODUCT } from '../../domain/product.ts';
import type { DocsSite } from './docs-site.ts';
import { LIMIT_DEFAULT, LIMIT_MAX, limitOf, listPages, navigationOf, routeNamed, searchPages } from './queries.ts';

/** The four tools of `/docs/mcp`. Each does what a route does, over the same functions. */

const INSTRUCTIONS = `The documentation of ${PRODUCT.name}. Search with search_docs, then read a page with get_page and its route.`;
const ANNOTATIONS = { readOnlyHint: true, openWorldHint: false };

/** Models send a string for a list, or an empty list for "all": any shape is accepted. */
const contentTypes = z
  .preprocess((given) => {
    const types = [given].flat().filter((each) => typeof each === 'string' && each !== '');
    return types.length === 0 ? undefined : types;
  }, z.array(z.string()).optional())
  .describe('Only pages of these types, such as ["guide", "operation"]. Left out: all.');
const filters = z
  .preprocess(
    (given) =>
      typeof given === 'object' && given !== null
        ? Object.fromEntries(Object.entries(given).filter(([, value]) => typeof value === 'string'))
        : undefined,
    z.record(z.string(), z.string()).optional(),
  )
  .describe('Only pages with these facets, such as {"area": "messages"}.');
const locale = z.preprocess(
  (given) => (typeof given === 'string' && given !== '' ? given : undefined),
  z.string().optional(),
);
const text = z.preprocess((given) => (typeof given === 'string' ? given : ''), z.string());

const INPUTS = {
  search_docs: z.object({
    query: text.describe('What to search for.'),
    limit: z
      .preprocess(limitOf, z.int().min(1).max(LIMIT_MAX).optional())
      .describe(`Pages at most; ${LIMIT_DEFAULT} by default.`),
    contentTypes,
    filters,
    locale,
  }),
  get_page: z.object({ route: text.describe('The route of a page, such as /messages.') }),
  list_pages: z.object({ contentTypes, filters, locale }),
  get_navigation: z.object({}),
};

type ToolName = keyof typeof INPUTS;

const ABOUT: Record<ToolName, { title: string; description: string }> = {
  search_docs: {
    title: 'Search the documentation',
    description: 'Finds pages by words. Answers the title, route, type and an excerpt of each, the best first.',
  },
  get_page: {
    title: 'Read a page',
    description: 'Answers one page as Markdown, by a route of search_docs or list_pages.',
  },
  list_pages: {
    title: 'List the pages',
    description: 'Answers every page with its route, title, description and type.',
  },
  get_navigation: { title: 'Get the navigation', description: 'Answers the tree of the pages, as readers see it.' },
};

const TOOLS = (Object.keys(INPUTS) as ToolName[]).map((name) => {
  const { $schema: _dialect, ...inputSchema } = z.toJSONSchema(INPUTS[name], { io: 'output' });
  // Unknown members are ignored.
  delete inputSchema.additionalProperties;
  return { name, ...ABOUT[name], annotations: ANNOTATIONS, inputSchema: inputSchema as { type: 'object' } };
});

/** An alias: the package's type allows further members. */
type ToolAnswer = { content: { type: 'text'; text: string }[]; isError?: true };

export function createDocsMcpServer(site: DocsSite, search: () => Promise<DocsSearch>): Server {
  const server = new Server(
    { name: `${PRODUCT.id}-docs`, title: `${PRODUCT.name}: documentation`, version: PRODUCT.version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  server.setRequestHandler('tools/list', () => ({ tools: TOOLS }));
  server.setRequestHandler('tools/call', async ({ params }) =>
    callTool(site, search, params.name, params.arguments ?? {}),
  );
  return server;
}

async function callTool(
  site: DocsSite,
  search: () => Promise<DocsSearch>,
  name: string,
  given: Record<string, unknown>,
): Promise<ToolAnswer> {
  switch (name) {
    case 'search_docs': {
      const { query, limit = LIMIT_DEFAULT, ...filters } = INPUTS.search_docs.parse(given);
      return inJson(searchPages(site, await search(), query.trim(), { limit, ...present(filters) }));
    }
    case 'get_page': {
      const { route: named } = INPUTS.get_page.parse(given);
      if (named.trim() === '') return { ...inText('Name a page by `route`, such as /messages.'), isError: true };
      const route = routeNamed(site, named);
      const page = site.pageAt(route);
      if (page !== undefined) return inText(site.text(page.markdown));
      return { ...inText(`No page has the route "${route}". Find one with search_docs or list_pages.`), isError: true };
    }
    case 'list_pages':
      return inJson(listPages(site, present(INPUTS.list_pages.parse(given))));
    case 'get_navigation':
      return inJson(navigationOf(site));
    default:
      return { ...inText(`There is no tool ${name}. The tools: ${Object.keys(INPUTS).join(', ')}.`), isError: true };
  }
}

function present<Given extends object>(given: Given): { [Name in keyof Given]?: NonNullable<Given[Name]> } {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as never;
}

function inJson(value: object): ToolAnswer {
  return inText(JSON.stringify(value, null, 2));
}

function inText(text: string): ToolAnswer {
  return { content: [{ type: 'text', text }] };
}
