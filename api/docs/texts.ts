import { type BuiltPage, type GroupNode, type NavigationNode, withoutFrontmatter } from '../../domain/docs/content.ts';
import { OTHER_GROUP, routesOf } from '../../domain/docs/navigation.ts';
import { PRODUCT } from '../../domain/product.ts';
import type { DocsSite } from './docs-site.ts';
import { DESCRIPTION_PATH, NAVIGATION_PATH, PAGES_PATH, SEARCH_PATH } from './problems.ts';

/** The list of pages by llmstxt.org's grammar. Pages of single operations and codes are many, and only in llms-full.txt. */
export function llmsTxt(site: DocsSite): string {
  const isGroup = (node: NavigationNode): node is GroupNode => node.kind === 'group';
  const groups = site.navigation.filter(isGroup);
  const loose = site.navigation.filter((node) => !isGroup(node));
  const sections = [...groups, { label: OTHER_GROUP, children: loose }].flatMap(({ label, children }) => {
    const pages = writtenPages(site, children);
    return pages.length === 0
      ? []
      : [
          section(
            label,
            pages.map((page) => linkTo(site, page)),
          ),
        ];
  });
  return [
    `# ${PRODUCT.name}`,
    ...(site.summary === null ? [] : [`> ${site.summary}`]),
    `The pages below are Markdown. ${site.address('/llms-full.txt')} holds all of them in one file, with a page for every operation and error code of the API; ${site.address(SEARCH_PATH)}?q=… searches them.`,
    ...sections,
    section('Agent resources', agentResources(site)),
  ]
    .map((block) => `${block}\n`)
    .join('\n');
}

function section(title: string, items: readonly string[]): string {
  return `## ${title}\n\n${items.join('\n')}`;
}

function writtenPages(site: DocsSite, nodes: readonly NavigationNode[]): BuiltPage[] {
  return routesOf(nodes).flatMap((route) => {
    const page = site.pageAt(route);
    return page === undefined || isOfOneName(page) ? [] : [page];
  });
}

/** Generated page of one operation or code; the generated list of them is linked instead. */
function isOfOneName({ source, type }: BuiltPage): boolean {
  return source === null && type !== 'reference';
}

function linkTo(site: DocsSite, { route, title, description }: BuiltPage): string {
  const name = title.replaceAll(/[[\]]/g, '\\$&');
  return `- [${name}](${site.markdownUrlOf(route)})${description === null ? '' : `: ${description}`}`;
}

function agentResources(site: DocsSite): string[] {
  const link = (label: string, path: string, about: string): string => `- [${label}](${site.address(path)}): ${about}`;
  return [
    link('OpenAPI description of the documentation API', DESCRIPTION_PATH, 'pages, search and navigation as JSON'),
    `- [OpenAPI description of the service](${site.site ?? ''}/api/v2/openapi.json): every operation of /api/v2`,
    link('Page index', PAGES_PATH, 'every page with its addresses'),
    link('Navigation', NAVIGATION_PATH, 'the tree of the pages'),
    link('MCP server of the documentation', '/docs/mcp', 'search_docs, get_page, list_pages, get_navigation'),
    link('All pages in one file', '/llms-full.txt', 'the Markdown of every page'),
    link('Manifest', '/agent-readability.json', 'what is there for agents'),
  ];
}

export function llmsFullTxt(site: DocsSite): string {
  const pages = site.pages.toSorted((one, other) => (one.route < other.route ? -1 : 1));
  const header = `# ${PRODUCT.name}\n\n> Every page of the documentation. The list of the pages: ${site.address('/llms.txt')}`;
  const texts = pages.map(
    ({ route, title, markdown }) =>
      `# ${title}\nSource: ${site.urlOf(route)}\n\n${withoutTitle(withoutFrontmatter(site.text(markdown)), title).trim()}`,
  );
  return `${[header, ...texts].join('\n\n---\n\n')}\n`;
}

function withoutTitle(body: string, title: string): string {
  const [first = '', ...rest] = body.split('\n');
  return first.startsWith('# ') && first.slice(2).replaceAll('`', '') === title ? rest.join('\n') : body;
}

export function markdownNotFound(site: DocsSite, route: string): string {
  const sections = site.navigation.flatMap((node) => {
    const [first] = node.kind === 'page' ? [node.route] : routesOf(node.children);
    return first === undefined ? [] : [`- [${node.label}](${site.markdownUrlOf(first)})`];
  });
  const shown = route.replaceAll(/[^\p{L}\p{N}/._~-]/gu, '?').slice(0, 200);
  return `${[
    '# Page not found',
    `No documentation page has the route \`${shown}\`.`,
    '## Where to look',
    [
      `- [llms.txt](${site.address('/llms.txt')}): every page with what it says`,
      `- [Search](${site.address(SEARCH_PATH)}?q=install): add your words as \`q\``,
      `- [Page index](${site.address(PAGES_PATH)}): every page as JSON`,
      ...(site.site === null ? [] : [`- [Sitemap](${site.address('/sitemap.xml')})`]),
    ].join('\n'),
    '## Sections',
    sections.join('\n'),
  ].join('\n\n')}\n`;
}

/** Needs absolute addresses, and so a configured site. */
export function sitemapXml(site: DocsSite): string {
  const entries = site.pages.map(({ route, lastModified }) => {
    const modified = lastModified === null ? '' : `<lastmod>${lastModified}</lastmod>`;
    return `  <url><loc>${encodeURI(site.urlOf(route))}</loc>${modified}</url>\n`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${entries.join('')}</urlset>\n`;
}

export function manifestOf(site: DocsSite, generator: string): object {
  return {
    artifacts: {
      api: {
        openapi: site.address(DESCRIPTION_PATH),
        pages: site.address(PAGES_PATH),
        search: site.address(SEARCH_PATH),
      },
      llmsFullTxt: site.address('/llms-full.txt'),
      llmsTxt: site.address('/llms.txt'),
      markdown: { contentNegotiation: 'text/markdown', pattern: site.address('/{route}.md') },
      mcp: { discovery: site.address('/.well-known/mcp.json'), url: site.address('/docs/mcp') },
      ...(site.site === null ? {} : { sitemap: site.address('/sitemap.xml') }),
    },
    ...(site.summary === null ? {} : { description: site.summary }),
    generator,
    name: PRODUCT.name,
    site: site.site,
  };
}

export function mcpDiscovery(site: DocsSite): object {
  const name = `${PRODUCT.name}: documentation`;
  return { servers: [{ name, transport: 'streamable-http', url: site.address('/docs/mcp') }] };
}
