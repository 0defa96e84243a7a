import type { ServiceError } from '../../domain/errors.ts';
import { resourceMetadataPath, resourceOfPath } from './oauth-places.ts';
import type { HttpContext } from './context.ts';

/**
 * Tells a client what it can do about a refusal (RFC 6750, 3 and RFC 9728, 5.1): where the resource says which server issues its tokens,
 * and the missing scope.
 */
export function challenge(ctx: HttpContext, error: ServiceError, issuer: string | null): void {
  const parts: string[] = [];
  if (ctx.status === 401 && ctx.get('Authorization') !== '') parts.push('error="invalid_token"');
  if (ctx.status === 403) {
    if (error.lackedScope === undefined || ctx.state.caller?.type !== 'oauth') return;
    parts.push('error="insufficient_scope"', `scope="${error.lackedScope}"`);
  } else if (ctx.status !== 401) return;
  const resource = resourceOfPath(ctx.path);
  if (issuer !== null && resource !== null) {
    parts.push(`resource_metadata="${issuer}${resourceMetadataPath(resource)}"`);
  }
  ctx.set('WWW-Authenticate', ['Bearer', parts.join(', ')].filter((part) => part !== '').join(' '));
}
