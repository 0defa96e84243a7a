import type { Database } from '../../db/client.ts';
import { CHANNELS, type NotificationListener } from '../../db/notifications/notification-listener.ts';
import { readPlan } from '../../db/plans/read-plan.ts';
import type { PlanName } from '../../domain/plans.ts';

/** A change is told at once; this bounds what a notification that was lost without a word can cost. */
const CACHE_MS = 30_000;
const CACHE_ENTRIES_MAX = 10_000;

/** The plan of each workspace that calls, so that a request of an unlimited one needs no database for its limits. */
export class PlanDirectory {
  private readonly db: Database;
  private readonly listener: NotificationListener;
  private readonly cache = new Map<string, { plan: Promise<PlanName>; readAt: number }>();
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
    const now = Date.now();
    const entry = this.cache.get(workspaceId);
    if (entry !== undefined && now - entry.readAt < CACHE_MS) return entry.plan;
    const plan = this.db.withWorkspace(workspaceId, readPlan);
    if (!this.listener.connected) return plan;
    if (this.cache.size >= CACHE_ENTRIES_MAX) this.cache.clear();
    const fresh = { plan, readAt: now };
    this.cache.set(workspaceId, fresh);
    try {
      return await plan;
    } catch (error) {
      if (this.cache.get(workspaceId) === fresh) this.cache.delete(workspaceId);
      throw error;
    }
  }

  close(): void {
    for (const detach of this.detach) detach();
    this.cache.clear();
  }
}
