import { createReadStream, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { HttpMiddleware } from '../http/context.ts';
import { OPENAPI_PATH } from '../openapi/serve-openapi.ts';

const ROOT = '/reference';
const ASSETS = path.dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
/** All that the page loads of the package, by name. Nothing else of it is reachable. */
const ASSET_TYPES: Record<string, string> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
};
const ASSET_MAX_AGE_SECONDS = 3_600;

/** Only our own host; no inline script. Swagger UI sets style attributes and its stylesheet holds its icons as data: URLs. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "style-src-attr 'unsafe-inline'",
  "img-src 'self' data:",
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
    <title>API reference</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="${ROOT}/swagger-ui.css">
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="${ROOT}/swagger-ui-bundle.js"></script>
    <script src="${ROOT}/initialize.js"></script>
  </body>
</html>
`;

/** `validatorUrl: null`: otherwise Swagger UI sends the document's address to a host of its makers. */
const INITIALIZE = `window.SwaggerUIBundle({
  url: '${OPENAPI_PATH}',
  dom_id: '#swagger-ui',
  deepLinking: true,
  validatorUrl: null,
  persistAuthorization: false,
});
`;

/** The readable API reference at /reference. It loads nothing from another host. */
export const serveReference: HttpMiddleware = async (ctx, next) => {
  const isRead = ctx.method === 'GET' || ctx.method === 'HEAD';
  if (!isRead || (ctx.path !== ROOT && !ctx.path.startsWith(`${ROOT}/`))) {
    await next();
    return;
  }
  const name = ctx.path.slice(ROOT.length + 1);
  if (name === '') {
    ctx.set('Content-Security-Policy', CONTENT_SECURITY_POLICY);
    ctx.type = 'text/html; charset=utf-8';
    ctx.body = PAGE;
  } else if (name === 'initialize.js') {
    ctx.type = 'text/javascript; charset=utf-8';
    ctx.body = INITIALIZE;
  } else if (Object.hasOwn(ASSET_TYPES, name)) {
    const file = path.join(ASSETS, name);
    ctx.set('Cache-Control', `public, max-age=${ASSET_MAX_AGE_SECONDS}`);
    ctx.type = ASSET_TYPES[name] ?? '';
    ctx.length = statSync(file).size;
    ctx.body = ctx.method === 'HEAD' ? null : createReadStream(file);
  } else {
    await next();
  }
};
