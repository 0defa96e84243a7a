import { newId } from '../../domain/ids.ts';
import type { HttpMiddleware } from './context.ts';

/** What may be echoed and logged as it is. At most 128 characters (docs/api.md, "Request ids"). */
const SAFE_REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/;

/** Gives every response an X-Request-Id: the caller's where it is safe, else one of ours. */
export const assignRequestId: HttpMiddleware = async (ctx, next) => {
  const given = ctx.get('X-Request-Id');
  ctx.state.requestId = SAFE_REQUEST_ID.test(given) ? given : newId('request');
  ctx.set('X-Request-Id', ctx.state.requestId);
  await next();
};
