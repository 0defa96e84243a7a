import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import { type RateLimit, type RateWindow, tellingWindow } from '../../domain/plans.ts';
import type { Database } from '../client.ts';

const MINUTE_SECONDS = 60;

interface Row {
  admitted: boolean;
  minute_used: number;
  minute_resets_at: Date;
  hour_used: number;
  hour_resets_at: Date;
  counted_at: Date;
}

/** What the limiter says of a request. `window` is null for one that this process refused without asking the database. */
export interface RateDecision {
  admitted: boolean;
  window: RateWindow | null;
  /** Until the window begins anew. */
  resetsInMs: number;
}

/**
 * The requests of one plan's workspaces, counted for all API processes together. The library decides, and keeps a workspace
 * whose window is used up from the database until the window begins anew; its store is `consume_rate_limit` of migration 0010,
 * which counts the minute and the hour in one statement, where the library's own statement knows one window only and would
 * need the application to have the whole table.
 */
export class WorkspaceRateLimiter extends RateLimiterPostgres {
  private readonly db: Database;
  private readonly limit: RateLimit;

  constructor(db: Database, limit: RateLimit) {
    super({
      storeClient: db,
      storeType: 'client',
      tableName: 'rate_windows',
      tableCreated: true, // by the migration
      clearExpiredByTimeout: false, // a workspace has one row, for good
      keyPrefix: '',
      points: limit.perMinute,
      duration: MINUTE_SECONDS,
      inMemoryBlockOnConsumed: limit.perMinute,
    });
    this.db = db;
    this.limit = limit;
  }

  /** Counts one request of the workspace, or refuses it and counts nothing. One round trip at most. */
  async decide(workspaceId: string): Promise<RateDecision> {
    try {
      return decisionOf(await this.consume(workspaceId), true);
    } catch (refusal) {
      if (refusal instanceof RateLimiterRes) return decisionOf(refusal, false);
      throw refusal;
    }
  }

  /** The store's contract (the library's README, "Contribution"): counts, and answers what `_getRateLimiterRes` reads. */
  async _upsert(workspaceId: string): Promise<Row> {
    const { rows } = await this.db.directory.ask<{ rows: Row[] }>('SELECT * FROM consume_rate_limit(?, ?, ?)', [
      workspaceId,
      this.limit.perMinute,
      this.limit.perHour,
    ]);
    const row = rows[0];
    if (row === undefined) throw new Error('consume_rate_limit answered nothing');
    return row;
  }

  /** The store's contract: the library's reading of a row. It refuses what has consumed more than its points. */
  _getRateLimiterRes(_key: string, _points: number, row: Row): CountedRes {
    const { perMinute, perHour } = this.limit;
    const minute = { limit: perMinute, used: row.minute_used, resetsAtMs: row.minute_resets_at.getTime() };
    const hour = { limit: perHour ?? Infinity, used: row.hour_used, resetsAtMs: row.hour_resets_at.getTime() };
    const window = tellingWindow(perHour === null ? [minute] : [minute, hour]);
    const remaining = Math.max(window.limit - window.used, 0);
    return new CountedRes(window, {
      remaining,
      resetsInMs: Math.max(window.resetsAtMs - row.counted_at.getTime(), 0),
      consumed: row.admitted ? perMinute - remaining : perMinute + 1,
    });
  }
}

class CountedRes extends RateLimiterRes {
  readonly window: RateWindow;

  constructor(window: RateWindow, counted: { remaining: number; resetsInMs: number; consumed: number }) {
    super(counted.remaining, counted.resetsInMs, counted.consumed, false);
    this.window = window;
  }
}

function decisionOf(result: RateLimiterRes, admitted: boolean): RateDecision {
  const window = result instanceof CountedRes ? result.window : null;
  return { admitted, window, resetsInMs: result.msBeforeNext };
}
