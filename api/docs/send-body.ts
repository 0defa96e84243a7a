import { preferredEncoding } from '../../domain/docs/negotiation.ts';
import type { HttpContext } from '../http/context.ts';
import type { StoredBody } from './stored-body.ts';

export interface BodyHeaders {
  type: string;
  /** By default five minutes, then stale for a day during revalidation. */
  cacheControl?: string;
  vary?: string;
  link?: string;
}

const CACHE_CONTROL = 'public, max-age=300, stale-while-revalidate=86400';

/** Indented, for people who read it with curl. */
export function jsonInLines(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** Headers of every documentation reply: public, any origin, no cookie. */
export function openToAll(ctx: HttpContext): void {
  ctx.set({ 'Access-Control-Allow-Origin': '*', 'Cross-Origin-Resource-Policy': 'cross-origin' });
  ctx.set('Access-Control-Expose-Headers', 'ETag, Link, X-Markdown-Tokens, X-Request-Id');
}

/** Sends a body for GET or HEAD, or 304 for a known tag. */
export async function sendBody(ctx: HttpContext, body: StoredBody, headers: BodyHeaders): Promise<void> {
  openToAll(ctx);
  ctx.set('Cache-Control', headers.cacheControl ?? CACHE_CONTROL);
  ctx.vary('Accept-Encoding');
  if (headers.vary !== undefined) ctx.vary(headers.vary);
  if (headers.link !== undefined) ctx.set('Link', headers.link);
  const encoding = body.formFor(preferredEncoding(ctx.get('Accept-Encoding')));
  ctx.set('ETag', body.etag(encoding));
  const known = ctx.get('If-None-Match');
  if (known !== '' && body.isNamedBy(known)) {
    ctx.status = 304;
    return;
  }
  ctx.status = 200;
  ctx.type = headers.type;
  if (encoding !== 'identity') ctx.set('Content-Encoding', encoding);
  ctx.body = await body.in(encoding);
}
