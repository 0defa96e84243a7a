import { CONSOLE_PATH } from '../../domain/console-links.ts';
import { PRODUCT } from '../../domain/product.ts';
import type { HttpMiddleware } from '../http/context.ts';
import { MCP_PATH } from '../mcp/mcp-path.ts';
import { OPENAPI_PATH } from '../openapi/serve-openapi.ts';
import { REFERENCE_PATH } from '../reference/serve-reference.ts';
import { sendPage } from './layout.ts';
import { markup } from './markup.ts';

/** Where to go from `/`, for programs: paths of this host. */
const PLACES = {
  name: PRODUCT.name,
  console: CONSOLE_PATH,
  reference: REFERENCE_PATH,
  openapi: OPENAPI_PATH,
  mcp: MCP_PATH,
  health: '/healthz',
};

/** `/`: a page with the ways into the service for a browser, and the same ways as JSON for everybody else. */
export const serveStart: HttpMiddleware = async (ctx, next) => {
  if (ctx.path !== '/' || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return next();
  ctx.vary('Accept');
  // JSON first: curl and agents take anything, and a browser says that it wants a page.
  if (ctx.accepts('json', 'html') === 'html') {
    sendPage(ctx, { title: 'Start here', viewer: null, content: CONTENT });
    return;
  }
  ctx.type = 'application/json';
  ctx.body = `${JSON.stringify(PLACES, null, 2)}\n`;
};

const CONTENT = markup`<p>This service runs the actions of AI agents, and asks people before those that need it.</p>
<ul class="list">
<li><p><a href="${CONSOLE_PATH}">Console</a></p><p class="note">For people: sign in, see which approvals wait for you, and decide.</p></li>
<li><p><a href="${REFERENCE_PATH}">API reference</a></p><p class="note">Every request and its answer. As a document: <a href="${OPENAPI_PATH}">OpenAPI</a>.</p></li>
<li><p><code>${MCP_PATH}</code></p><p class="note">The address that an agent’s MCP client connects to.</p></li>
</ul>`;
