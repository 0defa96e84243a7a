import type { Database } from '../../db/client.ts';
import { CHANNELS, type NotificationListener } from '../../db/announcements/notification-listener.ts';
import { readExpensiveWorkPause, type ExpensiveWorkPause } from '../../db/plans/expensive-work.ts';
import { ServiceError } from '../../domain/errors.ts';

/** A pause takes effect within a second in every process, even if its notification is lost. */
const AGE_MAX_MS = 500;

interface Known {
  pause: Promise<ExpensiveWorkPause | null>;
  readAt: number;
}

/** Caches whether expensive work is paused; refreshed on notification and twice a second. */
export class ExpensiveWorkSwitch {
  private readonly db: Database;
  private readonly listener: NotificationListener;
  private readonly detach: (() => void)[];
  private known: Known | null = null;

  constructor(db: Database, listener: NotificationListener) {
    this.db = db;
    this.listener = listener;
    const forget = (): void => void (this.known = null);
    this.detach = [listener.listen(CHANNELS.expensiveWorkChanged, forget), listener.onGap(forget)];
  }

  /** @throws {ServiceError} EXPENSIVE_WORK_PAUSED with the operator's reason (docs/plans-and-limits.md, "Pausing expensive work"). */
  async refuseWhilePaused(): Promise<void> {
    const pause = await this.read();
    if (pause === null) return;
    throw new ServiceError('EXPENSIVE_WORK_PAUSED', {
      message: `New expensive work is paused for all workspaces: ${pause.reason} Reading and deleting still work. Try again later.`,
    });
  }

  close(): void {
    for (const detach of this.detach) detach();
  }

  private async read(): Promise<ExpensiveWorkPause | null> {
    const now = Date.now();
    if (this.known !== null && this.listener.connected && now - this.known.readAt < AGE_MAX_MS) return this.known.pause;
    const fresh: Known = { pause: readExpensiveWorkPause(this.db), readAt: now };
    this.known = fresh;
    try {
      return await fresh.pause;
    } catch (error) {
      if (this.known === fresh) this.known = null;
      throw error;
    }
  }
}
