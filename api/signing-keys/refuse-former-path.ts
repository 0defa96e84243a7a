import { ServiceError } from '../../domain/errors.ts';
import type { HttpMiddleware } from '../http/context.ts';
import { pass, type RouteRunner } from '../http/route-runner.ts';

const FORMER_PATH = '/api/v2/signing-keys/rotate';

/** The rotation was a route of an environment. A program that still calls it with its key reads who rotates now, and where. */
export function refuseFormerRotation({ authenticators, gates }: RouteRunner): HttpMiddleware {
  return async (ctx, next) => {
    if (ctx.path !== FORMER_PATH || ctx.method !== 'POST' || ctx.get('Authorization') === '') return next();
    const caller = await authenticators.keys.authenticate(ctx.get('Authorization'));
    ctx.state.caller = caller;
    await pass(gates, { ctx, caller, workspaceId: caller.workspaceId });
    throw new ServiceError('AUTHORIZATION_ERROR', {
      message:
        'Signing keys are of the whole workspace: a member with the role admin or owner rotates them, signed in, at ' +
        'POST /api/v2/workspaces/{workspaceId}/signing-keys/rotate. No API key and no app can.',
    });
  };
}
