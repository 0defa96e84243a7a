import { BASE_MARK, type BuiltPage, type DocsIndex, type SourcePage } from '../../domain/docs/content.ts';
import { arrangeNavigation, type NavigationEntry, routesOf } from '../../domain/docs/navigation.ts';
import { frontmatterBlock, splitFrontmatter } from './frontmatter.ts';
import { resolveLinks } from './links.ts';
import { renderMarkdown } from './render-markdown.ts';

const DESCRIPTION_CHARACTERS_MAX = 200;
/** A title that stands later leaves no room for the pointer among the first 1,200 characters, which is what agents look at. */
const TITLE_WITHIN_CHARACTERS = 600;

const POINTER = `> The list of all pages, for agents: [llms.txt](${BASE_MARK}/llms.txt).`;

/**
 * Builds the index of the pages, in the order of the navigation.
 *
 * @throws when a page has no title, or two have one route.
 */
export async function buildIndex(
  sources: readonly SourcePage[],
  navigation: readonly NavigationEntry[],
  modified: ReadonlyMap<string, string>,
): Promise<DocsIndex> {
  const routes = new Set(sources.map(({ route }) => route));
  if (routes.size < sources.length) throw new Error('two pages of the documentation have one route');
  const pages = await Promise.all(sources.map(async (source) => buildPage(source, routes, modified)));
  const arranged = arrangeNavigation(navigation, pages);
  const places = new Map(routesOf(arranged).map((route, place) => [route, place]));
  const placeOf = ({ route }: BuiltPage): number => places.get(route) ?? Infinity;
  return { pages: pages.toSorted((one, other) => placeOf(one) - placeOf(other)), navigation: arranged };
}

async function buildPage(
  page: SourcePage,
  routes: ReadonlySet<string>,
  modified: ReadonlyMap<string, string>,
): Promise<BuiltPage> {
  const { route, source, type } = page;
  const { frontmatter, block, body } = splitFrontmatter(page.markdown);
  const title = page.title ?? stringOf(frontmatter['title']) ?? firstHeading(body);
  if (title === null) throw new Error(`${source ?? route} has neither a title nor a heading`);
  const description = page.description ?? stringOf(frontmatter['description']) ?? firstParagraph(body);
  const facets = page.facets ?? { area: stringOf(frontmatter['area']) ?? areaOf(route) };
  const top = block ?? frontmatterBlock({ title, description, type });
  const markdown = `${top}\n\n${withPointer(resolveLinks(body, source, routes, 'markdown'))}`;
  const rendered = await renderMarkdown(resolveLinks(body, source, routes, 'html'));
  const lastModified = source === null ? null : (modified.get(source) ?? null);
  return { route, source, title, description, type, facets, lastModified, markdown, ...rendered };
}

function stringOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function withPointer(body: string): string {
  const [title] = /^# .+\n/m.exec(body.slice(0, TITLE_WITHIN_CHARACTERS)) ?? [];
  return title === undefined ? `${POINTER}\n\n${body}` : body.replace(title, () => `${title}\n${POINTER}\n`);
}

function firstHeading(body: string): string | null {
  const [, heading] = /^# (.+)$/m.exec(body) ?? [];
  return heading === undefined ? null : plainText(heading);
}

/** The first block of text that is no heading, list, table, quotation, code, picture or HTML. */
function firstParagraph(body: string): string | null {
  const blocks = body.replaceAll(/^```[^]*?^```/gm, '').split(/\n{2,}/);
  const paragraph = blocks.map((block) => block.trim()).find((block) => /^[^#\-*+|>`!<\d\s]|^`[^`]|^\*\*/.test(block));
  if (paragraph === undefined) return null;
  const text = plainText(paragraph.replaceAll('\n', ' '));
  if (text.length <= DESCRIPTION_CHARACTERS_MAX) return text;
  return `${text.slice(0, DESCRIPTION_CHARACTERS_MAX - 1).replace(/\s+\S*$/, '')}…`;
}

export function plainText(markdown: string): string {
  return markdown
    .replaceAll(/!\[[^\]]*\]\([^)]*\)/g, '')
    .replaceAll(/\[((?:[^[\]]|\[[^\]]*\])*)\]\([^)]*\)/g, '$1')
    .replaceAll(/(\*\*|`)(.*?)\1/g, '$2')
    .replaceAll(/(?<!\w)([*_])(\S(?:.*?\S)?)\1(?!\w)/g, '$2')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** The folder of a page, otherwise its own name: `adr` for `/adr/0001-…`, `messages` for `/messages`. */
function areaOf(route: string): string {
  return route.split('/')[1] || 'home';
}
