import type { ResourceKind } from '../../db/oauth/grants.ts';
import { OFFERED_SCOPES } from '../../domain/oauth/offered-scopes.ts';
import { PRODUCT } from '../../domain/product.ts';
import type { HttpContext } from '../http/context.ts';
import { resourceUrl } from '../http/oauth-places.ts';

/** RFC 9728: from here a client that knows only the URL of the resource finds the authorization server. Any page may read it. */
export function sendResourceMetadata(ctx: HttpContext, issuer: string, kind: ResourceKind): void {
  ctx.set({ 'Access-Control-Allow-Origin': '*', 'Cross-Origin-Resource-Policy': 'cross-origin' });
  ctx.type = 'application/json';
  ctx.body = JSON.stringify({
    resource: resourceUrl(issuer, kind),
    resource_name: kind === 'mcp' ? `${PRODUCT.name} (MCP)` : PRODUCT.name,
    authorization_servers: [issuer],
    scopes_supported: OFFERED_SCOPES,
    bearer_methods_supported: ['header'],
  });
}
