import type { ChangedRecord } from '../../db/announcements/changed-records.ts';
import type { InvalidationHub, Watcher } from '../../db/announcements/invalidation-hub.ts';
import { CONSOLE_TOPICS, type ConsoleTopic } from '../../domain/console-topics.ts';
import { type Role, roleSuffices } from '../../domain/roles.ts';

/** Proxies close what is silent for a minute. */
export const HEARTBEAT_MS = 25_000;
/** Changes that come together are told together. */
const GATHER_MS = 500;
/** Beyond it a topic is told as a whole, so that what waits for a slow reader stays small. */
export const IDS_OF_A_TOPIC_MAX = 50;

/** What the session that opened the stream may see now. */
export interface Seen {
  /** When it ends by itself, unless a request renews it. */
  endsInMs: number;
  workspaces: readonly { id: string; role: Role }[];
}

export interface StreamParts {
  hub: InvalidationHub;
  userId: string;
  sessionId: string;
  /** Null once the session ended. */
  look: () => Promise<Seen | null>;
  /** Aborted when the reader is gone. */
  signal: AbortSignal;
  heartbeatMs?: number;
}

interface Pending {
  topic: ConsoleTopic;
  environmentId: string | null;
  /** The record that changed. Null when any record of the topic may have changed. */
  ids: Set<string> | null;
}

type End = 'session_ended' | 'service_stops';

/**
 * One reader's stream. It keeps what is to be told until the reader takes it, each record once, and asks the database only when the
 * session may have ended or its memberships may have changed.
 */
export class LiveStream implements Watcher {
  private readonly parts: StreamParts;
  private readonly pending = new Map<string, Pending>();
  private roles: ReadonlyMap<string, Role> = new Map();
  private hasMissed = false;
  private end: End | null = null;
  private lookAgainAtMs = Infinity;
  private wake: () => void = () => undefined;

  constructor(parts: StreamParts) {
    this.parts = parts;
  }

  /** Watches first and reads then, so that no change falls in between. Returns false where the session ended meanwhile. */
  async open(): Promise<boolean> {
    this.parts.hub.watch(this, []);
    return this.lookAgain();
  }

  changed({ workspaceId, environmentId, topic, id }: ChangedRecord): void {
    if (topic === 'members' && id === this.parts.userId) this.lookSoon();
    const role = this.roles.get(workspaceId);
    if (role === undefined || !roleSuffices(role, CONSOLE_TOPICS[topic])) return;
    const key = `${topic}/${environmentId}`;
    const pending = this.pending.get(key) ?? { topic, environmentId, ids: new Set<string>() };
    if (id === null || (pending.ids !== null && pending.ids.size >= IDS_OF_A_TOPIC_MAX)) pending.ids = null;
    pending.ids?.add(id ?? '');
    this.pending.set(key, pending);
    this.wake();
  }

  missed(): void {
    this.hasMissed = true;
    this.lookSoon(); // the end of the session may be among what was lost
  }

  sessionEnded(sessionId: string): void {
    if (sessionId === this.parts.sessionId) this.endWith('session_ended');
  }

  stop(): void {
    this.endWith('service_stops');
  }

  /** Ends when the reader is gone, the session ended or the process stops. */
  async *events(): AsyncGenerator<string> {
    const { signal, heartbeatMs = HEARTBEAT_MS } = this.parts;
    try {
      yield frame({}, 'ready');
      let beatAtMs = Date.now() + heartbeatMs;
      for (;;) {
        if (!this.hasNews()) await this.pause(Math.min(beatAtMs, this.lookAgainAtMs) - Date.now());
        else await this.pause(GATHER_MS, () => this.end === null);
        if (signal.aborted) return;
        if (this.lookAgainAtMs <= Date.now() && !(await this.isStillAllowed())) this.end ??= 'session_ended';
        if (this.end !== null) return yield frame({ reason: this.end }, 'end');
        yield* this.takeNews();
        if (beatAtMs > Date.now()) continue;
        yield frame({}, 'heartbeat');
        beatAtMs = Date.now() + heartbeatMs;
      }
    } finally {
      this.parts.hub.forget(this);
    }
  }

  private hasNews(): boolean {
    return this.hasMissed || this.pending.size > 0;
  }

  private *takeNews(): Generator<string> {
    if (this.hasMissed) yield frame({ topic: 'everything', environmentId: null });
    this.hasMissed = false;
    const taken = [...this.pending.values()];
    this.pending.clear();
    for (const { topic, environmentId, ids } of taken) {
      if (ids === null) yield frame({ topic, environmentId });
      for (const id of ids ?? []) yield frame({ topic, environmentId, id });
    }
  }

  /** The database may be away. The stream then goes on, and asks again before long. */
  private async isStillAllowed(): Promise<boolean> {
    try {
      return await this.lookAgain();
    } catch {
      this.lookAgainAtMs = Date.now() + (this.parts.heartbeatMs ?? HEARTBEAT_MS);
      return true;
    }
  }

  private async lookAgain(): Promise<boolean> {
    const { hub, look } = this.parts;
    const seen = await look();
    if (seen === null) return false;
    this.lookAgainAtMs = Date.now() + seen.endsInMs;
    this.roles = new Map(seen.workspaces.map(({ id, role }) => [id, role]));
    hub.watch(this, [...this.roles.keys()]);
    return true;
  }

  private lookSoon(): void {
    this.lookAgainAtMs = 0;
    this.wake();
  }

  private endWith(end: End): void {
    this.end ??= end;
    this.wake();
  }

  /** Waits this long, or until the reader is gone, or until something wakes it and `goesOn` says so no more. */
  private pause(ms: number, goesOn: () => boolean = () => false): Promise<void> {
    const { signal } = this.parts;
    if (signal.aborted || this.end !== null) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        this.wake = () => undefined;
        resolve();
      };
      const timer = setTimeout(done, Math.max(0, ms));
      signal.addEventListener('abort', done, { once: true });
      this.wake = () => {
        if (!goesOn()) done();
      };
    });
  }
}

/** One server-sent event; without a name it is a `message`. */
function frame(data: object, event?: string): string {
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;
}
