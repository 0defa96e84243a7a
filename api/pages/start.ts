import { CONSOLE_PATH, CONSOLE_START_PATH } from '../../domain/console-links.ts';
import { PRODUCT } from '../../domain/product.ts';
import { linkHeader } from '../docs/discovery-links.ts';
import { jsonInLines } from '../docs/send-body.ts';
import type { HttpMiddleware } from '../http/context.ts';
import { MCP_PATH } from '../http/mcp-path.ts';
import { OPENAPI_PATH } from '../openapi/serve-openapi.ts';
import { REFERENCE_PATH } from '../reference/serve-reference.ts';

/** Entry points for programs, as paths of this host. `openapi` describes the API, `/openapi.json` that of the documentation. */
function placesBelow(base: string): object {
  return {
    name: PRODUCT.name,
    console: CONSOLE_PATH,
    docs: `${base}/docs/`,
    llms: `${base}/llms.txt`,
    docsApi: `${base}/openapi.json`,
    openapi: OPENAPI_PATH,
    mcp: MCP_PATH,
    docsMcp: `${base}/docs/mcp`,
    reference: REFERENCE_PATH,
    health: '/healthz',
  };
}

/**
 * `/` leads a person to the console, and a reader of Markdown to the documentation; a prefix of the documentation leads both there.
 * Everybody else is told the entry points as JSON.
 */
export function serveStart(docsBase: string): HttpMiddleware {
  const places = jsonInLines(placesBelow(docsBase));
  const links = linkHeader('/', docsBase);
  const starts: ReadonlySet<string> = new Set(['/', docsBase, `${docsBase}/`]);
  return async (ctx, next) => {
    if (!starts.has(ctx.path) || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return next();
    ctx.vary('Accept');
    ctx.set('Link', links);
    // JSON first: curl and agents accept anything, a browser asks for a page.
    const form = ctx.accepts('json', 'html', 'text/markdown');
    if (form === 'html' || form === 'text/markdown') {
      ctx.redirect(form === 'html' && ctx.path === '/' ? CONSOLE_START_PATH : `${docsBase}/docs/`);
      return;
    }
    ctx.type = 'application/json';
    ctx.body = places;
  };
}
