import { PRODUCT } from '../../domain/product.ts';
import { type BuiltPage, withoutFrontmatter } from '../../domain/docs/content.ts';
import { type DocsSearch, QUERY_CHARACTERS_MAX } from '../../domain/docs/search.ts';
import type { DocsSite } from './docs-site.ts';

/** What the routes and the MCP tools both answer. The shapes are those of docs/documentation-api.md. */

const LOCALE = 'en';
export const GENERATOR = `${PRODUCT.id}@${PRODUCT.version}`;
export const LIMIT_DEFAULT = 8;
export const LIMIT_MAX = 20;
const EXCERPT_CHARACTERS_MAX = 200;

export interface PageFilters {
  contentTypes?: readonly string[];
  filters?: Readonly<Record<string, string>>;
  locale?: string;
}

export interface PageSummary {
  contentType: string;
  description?: string;
  facets: Record<string, string>;
  json: string;
  lastModified: string | null;
  locale: string;
  markdownUrl: string;
  route: string;
  title: string;
  url: string;
}

export function summaryOf(site: DocsSite, page: BuiltPage): PageSummary {
  const { route, type, description, facets, lastModified, title } = page;
  return {
    contentType: type,
    ...(description === null ? {} : { description }),
    facets,
    json: site.jsonUrlOf(route),
    lastModified,
    locale: LOCALE,
    markdownUrl: site.markdownUrlOf(route),
    route,
    title,
    url: site.urlOf(route),
  };
}

export function pagesIndex(site: DocsSite): object {
  const pages = site.pages.map((page) => summaryOf(site, page));
  return { count: pages.length, generator: GENERATOR, pages, site: site.site };
}

export function pageWithMarkdown(site: DocsSite, page: BuiltPage): object {
  return { ...summaryOf(site, page), markdown: site.text(page.markdown) };
}

export function navigationOf(site: DocsSite): object {
  return { featured: [], root: '/', selectors: [], sidebar: site.navigation, tabs: [] };
}

export function listPages(site: DocsSite, filters: PageFilters): PageSummary[] {
  return site.pages.filter((page) => matches(page, filters)).map((page) => summaryOf(site, page));
}

export interface SearchHit {
  contentType: string;
  excerpt: string;
  facets: Record<string, string>;
  route: string;
  title: string;
  url: string;
}

/** The search words, cut at the limit. */
export function searchedFor(parameters: URLSearchParams): string {
  return (parameters.get('q') ?? '').trim().slice(0, QUERY_CHARACTERS_MAX).trim();
}

/** Best first. A page whose title or last segment equals the query, such as an error code, leads. */
export function searchPages(
  site: DocsSite,
  search: DocsSearch,
  query: string,
  { limit, ...filters }: PageFilters & { limit: number },
): SearchHit[] {
  if (query === '') return [];
  const found = search.find(query).flatMap((route) => site.pageAt(route) ?? []);
  const named = site.pages.filter((page) => isNamed(page, query));
  return [...new Set([...named, ...found])]
    .filter((page) => matches(page, filters))
    .slice(0, limit)
    .map((page) => ({
      contentType: page.type,
      excerpt: excerptOf(site, page),
      facets: page.facets,
      route: page.route,
      title: page.title,
      url: site.urlOf(page.route),
    }));
}

function isNamed({ title, route }: BuiltPage, query: string): boolean {
  const wanted = query.toLowerCase();
  return title.toLowerCase() === wanted || route.toLowerCase().endsWith(`/${wanted}`);
}

function matches(page: BuiltPage, { contentTypes, filters = {}, locale }: PageFilters): boolean {
  if (locale !== undefined && locale !== LOCALE) return false;
  if (contentTypes !== undefined && !contentTypes.includes(page.type)) return false;
  return Object.entries(filters).every(
    ([name, value]) => Object.hasOwn(page.facets, name) && page.facets[name] === value,
  );
}

function excerptOf(site: DocsSite, { description, markdown }: BuiltPage): string {
  if (description !== null) return description;
  const text = withoutFrontmatter(site.text(markdown)).replaceAll(/\s+/g, ' ').trim();
  return text.length > EXCERPT_CHARACTERS_MAX ? `${text.slice(0, EXCERPT_CHARACTERS_MAX)}…` : text;
}

/** Clamped, never refused: agents send anything. */
export function limitOf(given: unknown): number {
  const number = given === undefined || given === null || given === '' ? NaN : Number(given);
  if (!Number.isFinite(number)) return LIMIT_DEFAULT;
  return Math.min(LIMIT_MAX, Math.max(1, Math.trunc(number)));
}

/** Accepts a route as agents write it: with or without slashes, `index`, `.md`, or a whole address. */
export function routeNamed(site: DocsSite, named: string): string {
  let path = named.trim();
  if (/^https?:\/\//i.test(path)) path = URL.canParse(path) ? new URL(path).pathname : path;
  path = decoded(path).replace(/[#?].*$/, '');
  if (site.base !== '' && path.startsWith(`${site.base}/`)) path = path.slice(site.base.length);
  path = `/${path.replaceAll(/^\/+|\/+$/g, '').replace(/\.md$/, '')}`;
  const below = path.replace(/^\/docs(?=\/|$)/, '') || '/';
  return [path, below].map((each) => (each === '/index' ? '/' : each)).find((each) => site.pageAt(each)) ?? path;
}

/** Returns a malformed escape unchanged. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
