import { LRUCache } from 'lru-cache';
import type { Database } from '../../db/client.ts';
import { CHANNELS, type NotificationListener } from '../../db/announcements/notification-listener.ts';
import { readPlan } from '../../db/plans/plans.ts';
import type { PlanName } from '../../domain/plans.ts';

/** A change is notified at once. This bounds the delay if the notification is lost. */
const CACHE_MS = 30_000;
const CACHE_ENTRIES_MAX = 10_000;

/** The plan of each workspace that calls, so that a request of an unlimited one needs no database for its limits. */
export class PlanDirectory {
  private readonly db: Database;
  private readonly listener: NotificationListener;
  private readonly cache = new LRUCache<string, Promise<PlanName>>({ max: CACHE_ENTRIES_MAX, ttl: CACHE_MS });
  private readonly detach: (() => void)[];

  constructor(db: Database, listener: NotificationListener) {
    this.db = db;
    this.listener = listener;
    this.detach = [
      listener.listen(CHANNELS.planChanged, (workspaceId) => this.cache.delete(workspaceId)),
      listener.onGap(() => this.cache.clear()),
    ];
  }

  /** Requests of one workspace that come at once share one read. */
  async planOf(workspaceId: string): Promise<PlanName> {
    const cached = this.cache.get(workspaceId);
    if (cached !== undefined) return cached;
    const plan = this.db.withWorkspace(workspaceId, readPlan);
    if (!this.listener.connected) return plan;
    this.cache.set(workspaceId, plan);
    try {
      return await plan;
    } catch (error) {
      if (this.cache.peek(workspaceId) === plan) this.cache.delete(workspaceId);
      throw error;
    }
  }

  close(): void {
    for (const detach of this.detach) detach();
    this.cache.clear();
  }
}
