import {
  BASE_MARK,
  type BuiltPage,
  type DocsIndex,
  type NavigationNode,
  pathOfRoute,
  SITE_MARK,
} from '../../domain/docs/content.ts';

export interface DocsSettings {
  /** Origin of absolute addresses. Null for addresses relative to the host's root. */
  site: string | null;
  /** Prefix of every path, such as `/handbook`; empty for none. */
  base: string;
}

export class DocsSite {
  readonly site: string | null;
  readonly base: string;
  /** In the order of the navigation. */
  readonly pages: readonly BuiltPage[];
  readonly navigation: readonly NavigationNode[];
  readonly #byRoute: ReadonlyMap<string, BuiltPage>;

  constructor(index: DocsIndex, { site, base }: DocsSettings) {
    this.site = site;
    this.base = base;
    this.pages = index.pages;
    this.navigation = index.navigation;
    this.#byRoute = new Map(index.pages.map((page) => [page.route, page]));
  }

  get summary(): string | null {
    return this.pageAt('/')?.description ?? null;
  }

  pageAt(route: string): BuiltPage | undefined {
    return this.#byRoute.get(route);
  }

  address(path: string): string {
    return `${this.site ?? ''}${this.base}${path}`;
  }

  /** Where people read a page: `/docs/actions`, the home page at `/docs/`. */
  urlOf(route: string): string {
    return this.address(`/docs${route}`);
  }

  markdownUrlOf(route: string): string {
    return this.address(`/${pathOfRoute(route)}.md`);
  }

  jsonUrlOf(route: string): string {
    return this.address(`/api/docs/pages/${pathOfRoute(route)}.json`);
  }

  /** Replaces the marks by paths: people read the page at any host. */
  path(marked: string): string {
    return marked.replaceAll(BASE_MARK, this.base).replaceAll(SITE_MARK, '');
  }

  text(marked: string): string {
    return marked.replaceAll(BASE_MARK, this.address('')).replaceAll(SITE_MARK, this.site ?? '');
  }
}
