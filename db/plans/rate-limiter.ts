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

interface MinuteRow {
  admitted: boolean;
  minute_used: number;
  minute_resets_at: Date;
  counted_at: Date;
}

interface Row extends MinuteRow {
  hour_used: number;
  hour_resets_at: Date;
}

interface Count {
  admitted: boolean;
  /** The limiter's windows after this request, by PostgreSQL's clock. */
  windows: readonly [RateWindow, ...RateWindow[]];
  countedAt: Date;
}

/** The limiter's answer to a request. `window` is null for one that this process refused without asking the database. */
export interface RateDecision {
  admitted: boolean;
  window: RateWindow | null;
  /** Time until the window starts anew. */
  resetsInMs: number;
}

/**
 * Counts requests for all API processes together, in one statement and by PostgreSQL's clock (migration 0017). A process that has seen a
 * window used up refuses by itself until the window ends, so that refused requests cost the database nothing.
 */
abstract class RateLimiter {
  protected readonly db: Database;
  protected readonly limit: RateLimit;
  /** Those whose window is used up, each until its window ends. */
  private readonly usedUp = new LRUCache<string, true>({ max: USED_UP_MAX });

  constructor(db: Database, limit: RateLimit) {
    this.db = db;
    this.limit = limit;
  }

  protected abstract count(id: string): Promise<Count>;

  /** Counts one request, or refuses it and counts nothing. At most one round trip. */
  async decide(id: string): Promise<RateDecision> {
    const refusesForMs = this.usedUp.getRemainingTTL(id);
    if (refusesForMs > 0) return { admitted: false, window: null, resetsInMs: refusesForMs };
    const { admitted, windows, countedAt } = await this.count(id);
    const window = tellingWindow(windows);
    const resetsInMs = Math.max(window.resetsAtMs - countedAt.getTime(), 0);
    const isUsedUp = !admitted || window.used >= window.limit;
    if (isUsedUp && resetsInMs > 0) this.usedUp.set(id, true, { ttl: Math.ceil(resetsInMs) });
    return { admitted, window, resetsInMs };
  }
}

/** The requests of one plan's workspaces, in the minute and the hour. */
export class WorkspaceRateLimiter extends RateLimiter {
  protected async count(workspaceId: string): Promise<Count> {
    const { perMinute, perHour } = this.limit;
    const values = [workspaceId, perMinute, perHour];
    const row = await this.db.directory.row<Row>('plans_consume', 'SELECT * FROM consume_rate_limit(?, ?, ?)', values);
    if (row === null) throw new Error('consume_rate_limit answered nothing');
    const minute = minuteOf(row, perMinute);
    const hour = { limit: perHour ?? Infinity, used: row.hour_used, resetsAtMs: row.hour_resets_at.getTime() };
    return {
      admitted: row.admitted,
      windows: perHour === null ? [minute] : [minute, hour],
      countedAt: row.counted_at,
    };
  }
}

/** The requests of a person's sessions, by the id of the user. They count for no workspace. */
export class SessionRateLimiter extends RateLimiter {
  protected async count(userId: string): Promise<Count> {
    const { perMinute } = this.limit;
    const row = await this.db.directory.row<MinuteRow>(
      'plans_consume_session',
      'SELECT * FROM consume_session_rate_limit(?, ?)',
      [userId, perMinute],
    );
    if (row === null) throw new Error('consume_session_rate_limit answered nothing');
    return { admitted: row.admitted, windows: [minuteOf(row, perMinute)], countedAt: row.counted_at };
  }
}

function minuteOf({ minute_used, minute_resets_at }: MinuteRow, limit: number): RateWindow {
  return { limit, used: minute_used, resetsAtMs: minute_resets_at.getTime() };
}
