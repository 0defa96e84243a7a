import type { HttpContext } from '../http/context.ts';
import type { DocsSite } from './docs-site.ts';
import { jsonInLines, openToAll } from './send-body.ts';

/** RFC 9457, with a stable code and what to do next. */
export interface Problem {
  status: number;
  code: string;
  title: string;
  detail: string;
  resolution: string;
  instance?: string;
  links?: { href: string; label: string }[];
}

export function sendProblem(ctx: HttpContext, problem: Problem): void {
  openToAll(ctx);
  ctx.status = problem.status;
  ctx.type = 'application/problem+json; charset=utf-8';
  ctx.body = jsonInLines({ type: 'about:blank', ...problem });
}

export const PAGES_PATH = '/api/docs/pages.json';
export const NAVIGATION_PATH = '/api/docs/navigation.json';
export const SEARCH_PATH = '/api/docs/search';
export const DESCRIPTION_PATH = '/openapi.json';

export function pageNotFound(site: DocsSite, route: string): Problem {
  return {
    status: 404,
    code: 'PAGE_NOT_FOUND',
    title: 'Page not found',
    detail: `No documentation page has the route "${route}".`,
    instance: encoded(site.jsonUrlOf(route)),
    resolution: `List every page at ${site.address(PAGES_PATH)}, or discover the API through ${site.address(DESCRIPTION_PATH)}.`,
  };
}

/** A URI reference; an escape that was malformed stays as it was written. */
function encoded(address: string): string {
  return encodeURI(address).replaceAll('%25', '%');
}

export function apiRouteNotFound(site: DocsSite, path: string): Problem {
  return {
    status: 404,
    code: 'API_ROUTE_NOT_FOUND',
    title: 'API route not found',
    detail: `No API route exists at ${path}. The routes of the service begin with /api/v2.`,
    instance: path,
    resolution: `Discover the operations through ${site.address(DESCRIPTION_PATH)}, or list every page at ${site.address(PAGES_PATH)}. The description of the service is at /api/v2/openapi.json.`,
    links: [
      { href: site.address(DESCRIPTION_PATH), label: 'OpenAPI description' },
      { href: site.address(PAGES_PATH), label: 'Page index' },
    ],
  };
}

export function missingQuery(site: DocsSite, path: string): Problem {
  return {
    status: 400,
    code: 'MISSING_QUERY',
    title: 'Missing search query',
    detail: 'The query parameter "q" is required and must not be blank.',
    instance: path,
    resolution: `Repeat the request with ?q=<search terms>, e.g. ${site.address(SEARCH_PATH)}?q=install.`,
  };
}

export function methodNotAllowed(path: string, method: string, allowed: string): Problem {
  return {
    status: 405,
    code: 'METHOD_NOT_ALLOWED',
    title: 'Method not allowed',
    detail: `${path} answers ${allowed}, not ${method}.`,
    instance: path,
    resolution: `Repeat the request with one of these methods: ${allowed}.`,
  };
}

export function tooManyRequests(path: string): Problem {
  return {
    status: 429,
    code: 'TOO_MANY_REQUESTS',
    title: 'Too many requests',
    detail: 'This network has sent more requests to the documentation than are answered in a second.',
    instance: path,
    resolution:
      'Wait for the seconds of the Retry-After header, then repeat the request. /llms-full.txt holds every page.',
  };
}
