import type { Database } from '../../db/client.ts';
import { SessionRateLimiter, WorkspaceRateLimiter } from '../../db/plans/rate-limiter.ts';
import { ServiceError } from '../../domain/errors.ts';
import {
  PLAN_TABLE,
  type PlanName,
  PLANS,
  type RateLimit,
  type RateWindow,
  SESSION_RATE_LIMIT,
} from '../../domain/plans.ts';
import type { PlanDirectory } from './plan-directory.ts';
import type { HttpContext } from './context.ts';
import type { GatedRequest } from './route-runner.ts';

/**
 * The rate limit of a workspace, or for requests of a session that of the person, shared by all API processes. It is checked once the caller is known: before that there is no
 * workspace to count for, and a stranger could use up somebody's window. It is checked before the scope, because a request that
 * is refused for its scope counts too and must not be free of limits. The rules: docs/plans-and-limits.md, "Rate limits".
 */
export class RateLimitGate {
  private readonly plans: PlanDirectory;
  private readonly sessions: SessionRateLimiter;
  private readonly limiters = new Map<PlanName, WorkspaceRateLimiter>();

  constructor(db: Database, plans: PlanDirectory) {
    this.plans = plans;
    this.sessions = new SessionRateLimiter(db, SESSION_RATE_LIMIT);
    for (const plan of PLANS) {
      const { rateLimit } = PLAN_TABLE[plan];
      if (rateLimit !== null) this.limiters.set(plan, new WorkspaceRateLimiter(db, rateLimit));
    }
  }

  /** Sets the three headers on a request that passes; a workspace without a limit gets none. @throws {ServiceError} RATE_LIMIT_EXCEEDED. */
  async pass({ ctx, caller, workspaceId }: Omit<GatedRequest, 'route'>): Promise<void> {
    if (caller?.type === 'session') return this.passSession(ctx, caller.userId);
    if (workspaceId === null) return;
    const plan = await this.plans.planOf(workspaceId);
    const { title, rateLimit } = PLAN_TABLE[plan];
    const limiter = this.limiters.get(plan);
    if (rateLimit === null || limiter === undefined) return;
    const { admitted, window, resetsInMs } = await limiter.decide(workspaceId);
    if (!admitted) throw tooMany(`the ${title} plan`, rateLimit, 'workspace', resetsInMs);
    if (window !== null) setHeaders(ctx, window);
  }

  private async passSession(ctx: HttpContext, userId: string): Promise<void> {
    const { admitted, window, resetsInMs } = await this.sessions.decide(userId);
    if (!admitted) throw tooMany('the service', SESSION_RATE_LIMIT, 'signed-in person', resetsInMs);
    if (window !== null) setHeaders(ctx, window);
  }
}

function setHeaders(ctx: HttpContext, { limit, used, resetsAtMs }: RateWindow): void {
  const values = [limit, Math.max(limit - used, 0), resetsAtMs];
  for (const [index, header] of RATE_LIMIT_HEADERS.entries()) ctx.set(header, String(values[index]));
}

function tooMany(
  who: string,
  { perMinute, perHour }: RateLimit,
  per: 'workspace' | 'signed-in person',
  resetsInMs: number,
): ServiceError {
  const hour = perHour === null ? '' : ` and ${perHour} an hour`;
  return new ServiceError('RATE_LIMIT_EXCEEDED', {
    message: `Too many requests: ${who} admits ${perMinute} a minute${hour} per ${per}. Send it again in ${Math.ceil(resetsInMs / 1000)} seconds.`,
  });
}

export const RATE_LIMIT_HEADERS = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'] as const;

/** No 429 carries rate-limit headers, whatever its reason (docs/plans-and-limits.md, "Rate limits"). */
export function removeRateLimitHeaders(ctx: HttpContext): void {
  for (const header of RATE_LIMIT_HEADERS) ctx.remove(header);
}
