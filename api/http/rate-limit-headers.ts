import type { HttpContext } from './context.ts';

export const RATE_LIMIT_HEADERS = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'] as const;

/** No 429 carries rate-limit headers, whatever its reason (docs/plans-and-limits.md, "Rate limits"). */
export function removeRateLimitHeaders(ctx: HttpContext): void {
  for (const header of RATE_LIMIT_HEADERS) ctx.remove(header);
}

/** The same for somebody of whom it is not yet known whether they may see them. Returns what was there. */
export function takeRateLimitHeaders(ctx: HttpContext): Record<string, string> {
  const shown = RATE_LIMIT_HEADERS.filter((header) => ctx.res.hasHeader(header));
  const values = Object.fromEntries(shown.map((header) => [header, String(ctx.res.getHeader(header))]));
  removeRateLimitHeaders(ctx);
  return values;
}
