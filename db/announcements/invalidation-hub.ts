import { type ChangedRecord, changedRecordOf, recordOf } from './changed-records.ts';
import { CHANNELS, type NotificationListener } from './notification-listener.ts';

/** A browser opens one for all of its tabs. */
export const STREAMS_OF_A_PERSON_MAX = 6;
/** A fourth of the connections that a process takes by default. */
export const STREAMS_MAX = 1_000;

/** Somebody who looks at the records of some workspaces. Its functions neither wait nor throw. */
export interface Watcher {
  changed(record: ChangedRecord): void;
  /** Notifications may have been lost: anything may have changed. */
  missed(): void;
  /** The sign-in session with this id ended. */
  sessionEnded(sessionId: string): void;
  /** The process stops. */
  stop(): void;
}

/**
 * Hands what this process is notified of to those who watch the workspace. It asks the database for nothing: settled invocations and
 * changed approvals are notified for their waiters anyway, and changes that people make by `recordChanged`.
 */
export class InvalidationHub {
  private readonly watchers = new Set<Watcher>();
  private readonly byWorkspace = new Map<string, Set<Watcher>>();
  private readonly detach: (() => void)[];
  private readonly places = new Map<string, number>();
  private taken = 0;
  private isStopped = false;

  constructor(listener: Pick<NotificationListener, 'listen' | 'onGap'>) {
    this.detach = [
      listener.listen(CHANNELS.invocationSettled, (payload) => {
        if (this.byWorkspace.size === 0) return;
        const settled = recordOf(payload, 'invocations');
        this.tell(settled);
        if (settled !== null) this.tell({ ...settled, topic: 'effects', id: null });
      }),
      listener.listen(CHANNELS.approvalChanged, (payload) => {
        if (this.byWorkspace.size > 0) this.tell(recordOf(payload, 'approvals'));
      }),
      listener.listen(CHANNELS.recordChanged, (payload) => {
        if (this.watchers.size > 0) this.tell(changedRecordOf(payload));
      }),
      listener.listen(CHANNELS.sessionEnded, (sessionId) => {
        for (const watcher of this.watchers) watcher.sessionEnded(sessionId);
      }),
      listener.onGap(() => {
        for (const watcher of this.watchers) watcher.missed();
      }),
    ];
  }

  get size(): number {
    return this.watchers.size;
  }

  /** Each stream holds a connection of this process. Returns what gives the place back, or whose places are all taken. */
  takePlace(userId: string): (() => void) | 'person' | 'process' {
    const own = this.places.get(userId) ?? 0;
    if (own >= STREAMS_OF_A_PERSON_MAX) return 'person';
    if (this.taken >= STREAMS_MAX) return 'process';
    this.places.set(userId, own + 1);
    this.taken += 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.taken -= 1;
      const left = (this.places.get(userId) ?? 1) - 1;
      if (left === 0) this.places.delete(userId);
      else this.places.set(userId, left);
    };
  }

  /** From now on the watcher is told of these workspaces, and of no others. */
  watch(watcher: Watcher, workspaceIds: readonly string[]): void {
    if (this.isStopped) return watcher.stop();
    this.forget(watcher);
    this.watchers.add(watcher);
    for (const workspaceId of workspaceIds) {
      const watching = this.byWorkspace.get(workspaceId) ?? new Set();
      watching.add(watcher);
      this.byWorkspace.set(workspaceId, watching);
    }
  }

  forget(watcher: Watcher): void {
    this.watchers.delete(watcher);
    for (const [workspaceId, watching] of this.byWorkspace) {
      watching.delete(watcher);
      if (watching.size === 0) this.byWorkspace.delete(workspaceId);
    }
  }

  /** Ends every watch, and those that come later. */
  stop(): void {
    this.isStopped = true;
    for (const watcher of this.watchers) watcher.stop();
  }

  close(): void {
    for (const detach of this.detach) detach();
    this.stop();
  }

  private tell(record: ChangedRecord | null): void {
    if (record === null) return;
    // Who is told of a workspace changes with its members: whoever joins does not watch it yet.
    const watching = record.topic === 'members' ? this.watchers : this.byWorkspace.get(record.workspaceId);
    for (const watcher of watching ?? []) watcher.changed(record);
  }
}
