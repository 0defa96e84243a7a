import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { prefersMarkdown } from '../../domain/docs/negotiation.ts';
import type { DocsSearch } from '../../domain/docs/search.ts';
import { ServiceError, statusOf } from '../../domain/errors.ts';
import { remembered } from '../../domain/remembered.ts';
import type { HttpContext, HttpMiddleware } from '../http/context.ts';
import { clientAddress } from '../http/every-request.ts';
import { type DocsSettings, DocsSite } from './docs-site.ts';
import { loadDocsIndex, loadDocsSearch } from './load-index.ts';
import { NetworkBudget, POINTS } from './network-budget.ts';
import {
  apiRouteNotFound,
  methodNotAllowed,
  missingQuery,
  pageNotFound,
  type Problem,
  SEARCH_PATH,
  sendProblem,
  tooManyRequests,
} from './problems.ts';
import { decoded, limitOf, type PageFilters, searchedFor, type SearchHit, searchPages } from './queries.ts';
import { JSON_TYPE, Resources } from './resources.ts';
import { jsonInLines, openToAll, sendBody } from './send-body.ts';
import type { AnswerDocsMcp } from './serve-docs-mcp.ts';
import { DOCS_SHEET_PATH } from './html-style.ts';
import { SEARCH_PAGE_PATH, serveHtml, type ServeHtml } from './serve-html.ts';
import { StoredBody } from './stored-body.ts';
import { markdownNotFound } from './texts.ts';

export const DOCS_MCP_PATH = '/docs/mcp';
const PAGE_JSON = /^\/api\/docs\/pages\/(.+)\.json$/;
/** Paths that need the loaded documentation. */
const OURS =
  /^\/(api\/docs(\/|$)|docs(\/|$)|llms(-full)?\.txt$|agent-readability\.json$|openapi\.json$|sitemap\.xml$|\.well-known\/mcp\.json$|(?!api\/).*\.md$)/;
const READS: ReadonlySet<string> = new Set(['GET', 'HEAD']);
const SEARCH_CACHE_CONTROL = 'public, max-age=60';
const RESULTS_KEPT = 500;
const PREFLIGHT_SECONDS = 86_400;

export interface DocsOptions extends DocsSettings {
  logger: Logger;
  budget?: NetworkBudget;
}

/** Built by the first request. */
interface Loaded {
  site: DocsSite;
  resources: Resources;
  html: ServeHtml;
  search: () => Promise<DocsSearch>;
  results: LRUCache<string, StoredBody>;
}

export interface Docs {
  serve: HttpMiddleware;
  /** Last middleware for paths below `/api/` but outside `/api/v2`. */
  refuseUnknownApi: HttpMiddleware;
}

/**
 * The public documentation API and pages (docs/documentation-api.md), from memory. Errors are problem details; a missing Markdown page is
 * answered in Markdown.
 */
export function serveDocs({ site, base, logger, budget = new NetworkBudget() }: DocsOptions): Docs {
  const load = remembered(async (): Promise<Loaded> => {
    const docs = new DocsSite(await loadDocsIndex(), { site, base });
    const results = new LRUCache<string, StoredBody>({ max: RESULTS_KEPT });
    return {
      site: docs,
      resources: new Resources(docs),
      html: serveHtml(docs),
      search: remembered(loadDocsSearch),
      results,
    };
  });
  const loadMcp = remembered(async (loaded: Loaded): Promise<AnswerDocsMcp> => {
    const { serveDocsMcp } = await import('./serve-docs-mcp.ts');
    return serveDocsMcp(loaded.site, loaded.search, logger);
  });

  const answer = async (ctx: HttpContext, path: string): Promise<boolean> => {
    const loaded = await load();
    if (ctx.method === 'OPTIONS') return answerPreflight(ctx, path);
    const isMcp = path === DOCS_MCP_PATH && ctx.method === 'POST';
    const costs = isMcp || path === SEARCH_PATH || path === SEARCH_PAGE_PATH ? POINTS.search : POINTS.page;
    if (!budget.take(clientAddress(ctx), costs)) return refuse(ctx, tooManyRequests(ctx.path), { 'Retry-After': '1' });
    if (isMcp) {
      await (
        await loadMcp(loaded)
      )(ctx);
      return true;
    }
    if (!READS.has(ctx.method)) return refuseMethod(ctx, path, loaded);
    return path === SEARCH_PATH ? answerSearch(ctx, loaded) : answerRead(ctx, path, loaded);
  };

  return {
    serve: async (ctx, next) => {
      const path = below(ctx.path, base);
      if (path === null || !OURS.test(path)) return next();
      try {
        if (await answer(ctx, path)) return;
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        sendProblem(ctx, problemOf(error, ctx.path));
        return;
      }
      await next();
    },
    refuseUnknownApi: async (ctx, next) => {
      if (!/^\/api\/(?!v2(\/|$))/.test(below(ctx.path, base) ?? ctx.path)) return next();
      sendProblem(ctx, apiRouteNotFound((await load()).site, ctx.path));
    },
  };
}

/** Path below the prefix. Returns null elsewhere. */
function below(path: string, base: string): string | null {
  if (base === '') return path;
  return path === base || path.startsWith(`${base}/`) ? path.slice(base.length) : null;
}

/** Returns false when no form exists at the path. */
async function answerRead(ctx: HttpContext, path: string, loaded: Loaded): Promise<boolean> {
  const { site, resources } = loaded;
  const fixed = resources.at(path);
  if (fixed !== null) {
    await sendBody(ctx, fixed.body, { type: fixed.type });
    return true;
  }
  const [, json] = PAGE_JSON.exec(path) ?? [];
  if (json !== undefined) {
    const route = routeOf(decoded(json));
    const page = resources.page(route);
    if (page === null) return refuse(ctx, pageNotFound(site, route));
    await sendBody(ctx, page.body, { type: page.type });
    return true;
  }
  if (path.endsWith('.md')) {
    const name = decoded(path.slice(1, -'.md'.length));
    // Readers also append `.md` to a page's address.
    const route = [routeOf(name), routeOf(name.replace(/^docs\//, ''))].find((each) => site.pageAt(each));
    return answerMarkdown(ctx, route ?? routeOf(name), { site, resources });
  }
  if (!path.startsWith('/docs')) return false;
  return answerPage(ctx, path, loaded);
}

/** A page for people, or Markdown for clients that prefer it. */
async function answerPage(ctx: HttpContext, path: string, { site, resources, html, search }: Loaded): Promise<boolean> {
  const route = `/${decoded(path.slice('/docs'.length)).replaceAll(/^\/+|\/+$/g, '')}`;
  const page = site.pageAt(route);
  if (path === DOCS_MCP_PATH && /^\s*text\/event-stream\s*(;|$)/i.test(ctx.get('Accept'))) {
    // The protocol makes the stream optional; there is none.
    return refuse(ctx, methodNotAllowed(ctx.path, 'GET for a stream of events', 'POST'), { Allow: 'GET, HEAD, POST' });
  }
  const isPage = page !== undefined || (path !== SEARCH_PAGE_PATH && path !== DOCS_SHEET_PATH);
  if (isPage && prefersMarkdown(ctx.get('Accept'))) {
    ctx.vary('Accept');
    return answerMarkdown(ctx, route, { site, resources });
  }
  if (page === undefined) await html.other(ctx, path, search);
  else await html.page(ctx, page);
  return true;
}

async function answerMarkdown(
  ctx: HttpContext,
  route: string,
  { site, resources }: Pick<Loaded, 'site' | 'resources'>,
): Promise<boolean> {
  const resource = resources.markdown(route);
  if (resource === null) {
    openToAll(ctx);
    ctx.status = 404;
    ctx.type = 'text/markdown; charset=utf-8';
    ctx.body = markdownNotFound(site, route);
    return true;
  }
  ctx.set('X-Markdown-Tokens', String(Math.ceil(resource.body.bytes.length / 4)));
  await sendBody(ctx, resource.body, {
    type: resource.type,
    link: `<${encodeURI(site.urlOf(route))}>; rel="canonical"`,
  });
  return true;
}

async function answerSearch(ctx: HttpContext, { site, search, results }: Loaded): Promise<boolean> {
  const parameters = new URLSearchParams(ctx.querystring);
  const query = searchedFor(parameters);
  if (query === '') return refuse(ctx, missingQuery(site, ctx.path));
  const wanted = { limit: limitOf(parameters.get('limit')), ...filtersOf(parameters) };
  const key = JSON.stringify([query, wanted]);
  const body = results.get(key) ?? new StoredBody(searchText(query, searchPages(site, await search(), query, wanted)));
  results.set(key, body);
  await sendBody(ctx, body, { type: JSON_TYPE, cacheControl: SEARCH_CACHE_CONTROL });
  return true;
}

function searchText(query: string, found: readonly SearchHit[]): string {
  return jsonInLines({ count: found.length, query, results: found });
}

function filtersOf(parameters: URLSearchParams): PageFilters {
  const types = parameters
    .getAll('contentTypes')
    .flatMap((value) => value.split(','))
    .map((value) => value.trim())
    .filter((value) => value !== '');
  const filters = [...parameters].flatMap(([name, value]) => {
    const [, facet] = /^filters\[([^[\]]+)\]$/.exec(name) ?? [];
    return facet === undefined ? [] : [[facet, value] as const];
  });
  const locale = parameters.get('locale')?.trim() ?? '';
  return {
    ...(types.length === 0 ? {} : { contentTypes: types }),
    ...(filters.length === 0 ? {} : { filters: Object.fromEntries(filters) }),
    ...(locale === '' ? {} : { locale }),
  };
}

function routeOf(name: string): string {
  return name === 'index' ? '/' : `/${name}`;
}

function refuse(ctx: HttpContext, problem: Problem, headers: Record<string, string> = {}): true {
  ctx.set(headers);
  sendProblem(ctx, problem);
  return true;
}

/** Other paths below `/docs` may allow other methods. */
function refuseMethod(ctx: HttpContext, path: string, { site, resources }: Loaded): boolean {
  const isPage = path.startsWith('/docs') && site.pageAt(decoded(path.slice('/docs'.length)).replace(/\/$/, '') || '/');
  const isKnown = isPage || path === SEARCH_PATH || path.endsWith('.md') || PAGE_JSON.test(path) || resources.at(path);
  if (!isKnown) return false;
  const allowed = path === DOCS_MCP_PATH ? 'GET, HEAD, POST, OPTIONS' : 'GET, HEAD, OPTIONS';
  return refuse(ctx, methodNotAllowed(ctx.path, ctx.method, allowed), { Allow: allowed });
}

/** CORS preflight: conditional requests and MCP messages have headers that browsers ask about first. */
function answerPreflight(ctx: HttpContext, path: string): true {
  openToAll(ctx);
  const methods = path === DOCS_MCP_PATH ? 'GET, HEAD, POST, OPTIONS' : 'GET, HEAD, OPTIONS';
  ctx.set({
    Allow: methods,
    'Access-Control-Allow-Methods': methods,
    'Access-Control-Allow-Headers': ctx.get('Access-Control-Request-Headers').slice(0, 1_000) || '*',
    'Access-Control-Max-Age': String(PREFLIGHT_SECONDS),
  });
  ctx.status = 204;
  return true;
}

/** For failures of the machinery, such as an oversized body. */
function problemOf(error: ServiceError, path: string): Problem {
  return {
    status: statusOf(error.code),
    code: error.code,
    title: error.code.toLowerCase().replaceAll('_', ' '),
    detail: error.publicMessage,
    resolution: 'Correct the request and send it again.',
    instance: path,
  };
}
