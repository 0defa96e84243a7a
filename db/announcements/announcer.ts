import type { Channel } from './notification-listener.ts';

/** A notification that a transaction asked for: those that wait for `payload` on `channel` look again. */
export interface Announcement {
  channel: Channel;
  payload: string;
}

/** Sends them in one statement, outside of any transaction of ours. */
export type SendAnnouncements = (announcements: readonly Announcement[]) => Promise<unknown>;

/**
 * Sends the notifications of committed transactions, all waiting ones in one statement. A NOTIFY inside a transaction takes a lock of the
 * whole database until its commit is on disk, so commits with notifications would reach the disk one by one. A crash between the commit
 * and the notification loses it, as does a listener that is away; therefore waiters also look by themselves (`SettlementHub`).
 */
export class Announcer {
  private waiting: Announcement[] = [];
  private sending: Promise<void> | null = null;
  private readonly sendAll: SendAnnouncements;

  constructor(sendAll: SendAnnouncements) {
    this.sendAll = sendAll;
  }

  /** Call it after the commit. Never throws. */
  send(announcements: readonly Announcement[]): void {
    if (announcements.length === 0) return;
    this.waiting.push(...announcements);
    this.sending ??= this.run();
  }

  /** Ends when all that was given to `send` before is sent. */
  async flush(): Promise<void> {
    await this.sending;
  }

  private async run(): Promise<void> {
    while (this.waiting.length > 0) {
      const batch = this.waiting;
      this.waiting = [];
      try {
        await this.sendAll(batch);
      } catch {
        // A hint, which nobody keeps: the database is away, and waiters look again by themselves.
      }
    }
    this.sending = null;
  }
}
