import type { HttpContext } from './context.ts';

export const RATE_LIMIT_HEADERS = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'] as const;

/** No 429 carries rate-limit headers, whatever its reason (docs/plans-and-limits.md, "Rate limits"). */
export function removeRateLimitHeaders(ctx: HttpContext): void {
  for (const header of RATE_LIMIT_HEADERS) ctx.remove(header);
}
