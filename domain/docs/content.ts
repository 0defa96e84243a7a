/** The documentation as `npm run build` makes it (`dist/docs/index.json`) and the API serves it: docs/documentation-api.md. */

/** Stands for the address that the documentation is served at, `{site}{base}`, which only a running process knows. */
export const BASE_MARK = '\u{E000}';

/** Stands for the origin alone, `{site}`: in front of paths of the service itself, such as `/api/v2/openapi.json`. */
export const SITE_MARK = '\u{E001}';

export type PageType =
  'guide' | 'reference' | 'howto' | 'cookbook' | 'quickstart' | 'adr' | 'operation' | 'error' | 'refusal' | 'warning';

/** A page before it is built: a file of `docs/`, or one that is made of what the code declares. */
export interface SourcePage {
  /** With a slash in front and none at the end: `/howto/add-a-route`; the home page is `/`. */
  route: string;
  /** The file below the project's root; null for a generated page. */
  source: string | null;
  /** With or without frontmatter. A link is relative to `source`, or a slash and a page's route or a service path. */
  markdown: string;
  type: PageType;
  /** By default: the frontmatter's `title`, else the first heading of level 1. */
  title?: string;
  /** By default: the frontmatter's `description`, else the first paragraph. */
  description?: string;
  /** By default `{ area }`: the frontmatter's `area`, else the folder, else the page's name. */
  facets?: Record<string, string>;
}

export interface Heading {
  level: number;
  text: string;
  /** The id of the heading in the HTML; GitHub's rule. */
  anchor: string;
}

/** What the renderer makes of a page's Markdown (without frontmatter). */
export interface RenderedPage {
  /** The content of the page's `<article>`, with its `<h1>`. Links have BASE_MARK and SITE_MARK in front. */
  html: string;
  headings: Heading[];
}

/** A built page. `markdown` and `html` hold the marks. */
export interface BuiltPage extends RenderedPage {
  route: string;
  source: string | null;
  title: string;
  description: string | null;
  type: PageType;
  facets: Record<string, string>;
  /** With a frontmatter block on top, and a pointer to llms.txt below the title. */
  markdown: string;
  /** The time of the last commit that changed the source, ISO 8601; null where the build had no git, and for generated pages. */
  lastModified: string | null;
}

export interface PageNode {
  kind: 'page';
  label: string;
  /** The route without its first slash; `index` is the home page. */
  pageId: string;
  route: string;
}

export interface GroupNode {
  kind: 'group';
  label: string;
  children: NavigationNode[];
  collapsed?: boolean;
  route?: string;
}

export type NavigationNode = PageNode | GroupNode;

/** `dist/docs/index.json`. */
export interface DocsIndex {
  /** In the order of the navigation. */
  pages: BuiltPage[];
  navigation: NavigationNode[];
}

export function withoutFrontmatter(markdown: string): string {
  return markdown.replace(/^---\n[^]*?\n---\n+/, '');
}

/** A route's name in paths and as a `pageId`: without its first slash, the home page is `index`. */
export function pathOfRoute(route: string): string {
  return route === '/' ? 'index' : route.slice(1);
}
