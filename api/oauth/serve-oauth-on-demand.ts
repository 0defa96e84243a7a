import { ServiceError } from '../../domain/errors.ts';
import { remembered } from '../../domain/remembered.ts';
import type { HttpMiddleware } from '../http/context.ts';
import type { RouteRunner } from '../http/route-runner.ts';
import {
  CONSENT_PATH,
  OAUTH_PATHS,
  resourceMetadataPath,
  RESOURCES,
  SERVER_METADATA_PATH,
} from '../http/oauth-places.ts';
import { sendResourceMetadata } from './resource-metadata.ts';

/** The authorization server, loaded by its first request: its package takes memory of a process also where nobody connects an app. */
export function serveOAuthOnDemand(runner: RouteRunner): HttpMiddleware {
  // If loading fails, for example of a key while PostgreSQL is away, the next request tries again.
  const load = remembered(async (issuer: string) =>
    (await import('./serve-oauth.ts')).createOAuthServer(runner, issuer),
  );
  return async (ctx, next) => {
    const path = ctx.path.replace(/\/$/, '');
    const resource = RESOURCES.find((kind) => resourceMetadataPath(kind) === path);
    // A client that was given the URL of the resource with a slash asks with one, and gets the same.
    if (path === SERVER_METADATA_PATH) ctx.path = path;
    if (resource === undefined && !isOAuthPath(ctx.path)) return next();
    const issuer = runner.deps.pagesUrl;
    if (issuer === null) {
      throw new ServiceError('NOT_FOUND', {
        message: 'Apps cannot connect by OAuth here: the operator has not set PUBLIC_URL. Use an API key.',
      });
    }
    if (resource !== undefined && ctx.method === 'GET') return sendResourceMetadata(ctx, issuer, resource);
    if (resource !== undefined) throw new ServiceError('METHOD_NOT_ALLOWED', { message: 'This path answers GET.' });
    const answer = await load(issuer);
    await answer(ctx);
  };
}

export function isOAuthPath(path: string): boolean {
  if (path === SERVER_METADATA_PATH || path.startsWith(`${CONSENT_PATH}/`)) return true;
  return Object.values(OAUTH_PATHS).some((own) => own === path) || path.startsWith(`${OAUTH_PATHS.authorization}/`);
}
