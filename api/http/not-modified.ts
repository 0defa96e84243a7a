import type { HttpContext } from './context.ts';

/**
 * Whether the reader's copy has the `ETag` of this successful reply (RFC 9110, section 13.1.2). Koa's own `ctx.fresh` says no wherever
 * the request has `Cache-Control: no-cache`, which `fetch` adds to every conditional request; that directive is for caches on the way.
 */
export function isNotModified(ctx: HttpContext): boolean {
  const etag = ctx.response.get('ETag');
  const known = ctx.get('If-None-Match');
  if (etag === '' || known === '' || ctx.method !== 'GET' || ctx.status !== 200) return false;
  return namesTag(known, (tag) => tag === etag);
}

/** Whether an `If-None-Match` names one of our tags. Weak and strong tags count alike. */
export function namesTag(ifNoneMatch: string, isOurs: (tag: string) => boolean): boolean {
  return ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((one) => isOurs(one.trim().replace(/^W\//, '')));
}
