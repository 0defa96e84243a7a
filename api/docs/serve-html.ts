import { LRUCache } from 'lru-cache';
import type { BuiltPage } from '../../domain/docs/content.ts';
import type { DocsSearch } from '../../domain/docs/search.ts';
import type { HttpContext } from '../http/context.ts';
import { linkHeader } from './discovery-links.ts';
import type { DocsSite } from './docs-site.ts';
import { pageDocument } from './html-document.ts';
import { notFoundDocument, resultsDocument } from './html-results.ts';
import { DOCS_SHEET, DOCS_SHEET_PATH } from './html-style.ts';
import { Pictures } from './pictures.ts';
import { LIMIT_MAX, searchedFor, searchPages } from './queries.ts';
import { openToAll, sendBody } from './send-body.ts';
import { StoredBody } from './stored-body.ts';

export const SEARCH_PAGE_PATH = '/docs/search';

const HTML = 'text/html; charset=utf-8';
const SHEET_CACHE_CONTROL = 'public, max-age=31536000, immutable';
const RESULTS_CACHE_CONTROL = 'public, max-age=60';
/** Their names stay when their content changes. */
const PICTURE_CACHE_CONTROL = 'public, max-age=300, stale-while-revalidate=86400';
const RESULTS_KEPT = 200;
/** Characters of an unknown path shown on its 404 page. */
const PATH_CHARACTERS_SHOWN = 200;

/** Loads only our style sheet and pictures, runs no script, and posts forms to ourselves only. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self' data:",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

export interface ServeHtml {
  /** Answers GET and HEAD of `/docs` and `/docs/{route}`. `serve-docs.ts` negotiates Markdown first. */
  page(ctx: HttpContext, page: BuiltPage): Promise<void>;
  /** Search results, the style sheet, a picture, or a 404 page. */
  other(ctx: HttpContext, path: string, search: () => Promise<DocsSearch>): Promise<void>;
}

export function serveHtml(site: DocsSite): ServeHtml {
  const pages = new Map<string, StoredBody>();
  const results = new LRUCache<string, StoredBody>({ max: RESULTS_KEPT });
  const sheet = new StoredBody(DOCS_SHEET);
  const pictures = new Pictures();

  const sendResults = async (ctx: HttpContext, search: () => Promise<DocsSearch>): Promise<void> => {
    const query = searchedFor(new URLSearchParams(ctx.querystring));
    let body = results.get(query);
    if (body === undefined) {
      const found = query === '' ? [] : searchPages(site, await search(), query, { limit: LIMIT_MAX });
      body = new StoredBody(resultsDocument(site, query, found));
      results.set(query, body);
    }
    secure(ctx);
    await sendBody(ctx, body, { type: HTML, cacheControl: RESULTS_CACHE_CONTROL, vary: 'Accept' });
  };

  return {
    page: async (ctx, page) => {
      const body = pages.get(page.route) ?? new StoredBody(pageDocument(site, page));
      pages.set(page.route, body);
      secure(ctx);
      await sendBody(ctx, body, { type: HTML, vary: 'Accept', link: linkHeader(page.route, site.base) });
    },
    other: async (ctx, path, search) => {
      if (path === SEARCH_PAGE_PATH) return sendResults(ctx, search);
      if (path === DOCS_SHEET_PATH) {
        await sendBody(ctx, sheet, { type: 'text/css; charset=utf-8', cacheControl: SHEET_CACHE_CONTROL });
        return;
      }
      const picture = pictures.at(path);
      if (picture !== null) {
        openToAll(ctx);
        ctx.set('Cache-Control', PICTURE_CACHE_CONTROL);
        ctx.type = picture.type;
        ctx.body = picture.bytes;
        return;
      }
      secure(ctx);
      openToAll(ctx);
      ctx.vary('Accept');
      ctx.status = 404;
      ctx.type = HTML;
      ctx.body = notFoundDocument(site, ctx.path.slice(0, PATH_CHARACTERS_SHOWN));
    },
  };
}

function secure(ctx: HttpContext): void {
  ctx.set({
    'Content-Security-Policy': CONTENT_SECURITY_POLICY,
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Referrer-Policy': 'same-origin',
  });
}
