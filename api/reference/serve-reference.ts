import { createReadStream, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { HttpContext, HttpMiddleware } from '../http/context.ts';
import type { AnyRoute } from '../http/define-route.ts';
import { PRODUCT } from '../../domain/product.ts';
import { OPENAPI_PATH } from '../openapi/serve-openapi.ts';
import { describeWithExamples } from './describe-with-examples.ts';

export const REFERENCE_PATH = '/reference';
const ROOT = REFERENCE_PATH;
const ASSET_MAX_AGE_SECONDS = 3_600;

/**
 * Only our host, no inline script and no eval. Inline styles are unavoidable: the page creates style elements with varying text. They can
 * send nothing, because no other host is reachable.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${PRODUCT.name}: API reference</title>
    <link rel="icon" href="data:,">
  </head>
  <body>
    <div id="reference"></div>
    <noscript>The API reference needs JavaScript. The same document without it: ${ROOT}/openapi.json, and without its examples: ${OPENAPI_PATH}</noscript>
    <script src="${ROOT}/scalar.js"></script>
    <script src="${ROOT}/initialize.js"></script>
  </body>
</html>
`;

/** All settings but the first three switch off calls or links to the page's makers. */
const INITIALIZE = `window.Scalar.createApiReference('#reference', {
  url: '${ROOT}/openapi.json',
  persistAuth: false,
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  proxyUrl: '',
  hideClientButton: true,
  showDeveloperTools: 'never',
  documentDownloadType: 'none',
});
`;

/** The build copies the script beside the compiled module. Tests run the source, after the build. */
const SCRIPT = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../../dist/api/reference/scalar.js' : './scalar.js', import.meta.url),
);

/** Loads nothing from another host. */
export function serveReference(routes: readonly AnyRoute[]): HttpMiddleware {
  let document: string | undefined;
  return async (ctx, next) => {
    const isRead = ctx.method === 'GET' || ctx.method === 'HEAD';
    if (!isRead || (ctx.path !== ROOT && !ctx.path.startsWith(`${ROOT}/`))) {
      await next();
      return;
    }
    switch (ctx.path.slice(ROOT.length + 1)) {
      case '':
        ctx.set('Content-Security-Policy', CONTENT_SECURITY_POLICY);
        ctx.type = 'text/html; charset=utf-8';
        ctx.body = PAGE;
        break;
      case 'initialize.js':
        ctx.type = 'text/javascript; charset=utf-8';
        ctx.body = INITIALIZE;
        break;
      case 'openapi.json':
        document ??= JSON.stringify(describeWithExamples(routes));
        ctx.type = 'application/json';
        ctx.body = document;
        break;
      case 'scalar.js':
        serveScript(ctx);
        break;
      default:
        await next();
    }
  };
}

function serveScript(ctx: HttpContext): void {
  const isCompressed = ctx.acceptsEncodings('gzip', 'identity') === 'gzip';
  const file = isCompressed ? `${SCRIPT}.gz` : SCRIPT;
  ctx.set('Cache-Control', `public, max-age=${ASSET_MAX_AGE_SECONDS}`);
  ctx.vary('Accept-Encoding');
  if (isCompressed) ctx.set('Content-Encoding', 'gzip');
  ctx.type = 'text/javascript; charset=utf-8';
  // Koa sends no body for a HEAD, and closes the stream after the reply.
  ctx.body = createReadStream(file);
  ctx.length = statSync(file).size;
}
