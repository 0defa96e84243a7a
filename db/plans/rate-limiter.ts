import { LRUCache } from 'lru-cache';
import { type RateLimit, type RateWindow, tellingWindow } from '../../domain/plans.ts';
import type { Database } from '../client.ts';

/**
 * Counts a request as `more` further ones, for what it makes, in the windows that count it. It refuses nothing: the window may go over its limit,
 * and then admits no other request. Without a limit nothing is counted.
 */
export async function chargeRateLimit(db: Database, workspaceId: string, more: number): Promise<void> {
  await db.directory.raw('charge_rate_limit', 'SELECT charge_rate_limit(?, ?)', [workspaceId, more]);
}

const USED_UP_MAX = 10_000;

interface Row {
  admitted: boolean;
  minute_used: number;
  minute_resets_at: Date;
  hour_used: number;
  hour_resets_at: Date;
  counted_at: Date;
}

/** The limiter's answer to a request. `window` is null for one that this process refused without asking the database. */
export interface RateDecision {
  admitted: boolean;
  window: RateWindow | null;
  /** Time until the window starts anew. */
  resetsInMs: number;
}

/**
 * Counts the requests of one plan's workspaces for all API processes together: `consume_rate_limit` of migration 0017 counts
 * minute and hour in one statement, by PostgreSQL's clock. A process that has seen a window used up refuses by itself until the
 * window ends, so that refused requests cost the database nothing.
 */
export class WorkspaceRateLimiter {
  private readonly db: Database;
  private readonly limit: RateLimit;
  /** The workspaces whose window is used up, each until its window ends. */
  private readonly usedUp = new LRUCache<string, true>({ max: USED_UP_MAX });

  constructor(db: Database, limit: RateLimit) {
    this.db = db;
    this.limit = limit;
  }

  /** Counts one request of the workspace, or refuses it and counts nothing. At most one round trip. */
  async decide(workspaceId: string): Promise<RateDecision> {
    const refusesForMs = this.usedUp.getRemainingTTL(workspaceId);
    if (refusesForMs > 0) return { admitted: false, window: null, resetsInMs: refusesForMs };
    const decision = this.decisionOf(await this.consume(workspaceId));
    const { admitted, window, resetsInMs } = decision;
    const isUsedUp = !admitted || window.used >= window.limit;
    if (isUsedUp && resetsInMs > 0) this.usedUp.set(workspaceId, true, { ttl: Math.ceil(resetsInMs) });
    return decision;
  }

  private async consume(workspaceId: string): Promise<Row> {
    const row = await this.db.directory.row<Row>('plans_consume', 'SELECT * FROM consume_rate_limit(?, ?, ?)', [
      workspaceId,
      this.limit.perMinute,
      this.limit.perHour,
    ]);
    if (row === null) throw new Error('consume_rate_limit answered nothing');
    return row;
  }

  private decisionOf(row: Row): RateDecision & { window: RateWindow } {
    const { perMinute, perHour } = this.limit;
    const minute = { limit: perMinute, used: row.minute_used, resetsAtMs: row.minute_resets_at.getTime() };
    const hour = { limit: perHour ?? Infinity, used: row.hour_used, resetsAtMs: row.hour_resets_at.getTime() };
    const window = tellingWindow(perHour === null ? [minute] : [minute, hour]);
    const resetsInMs = Math.max(window.resetsAtMs - row.counted_at.getTime(), 0);
    return { admitted: row.admitted, window, resetsInMs };
  }
}
