import { AsyncLocalStorage } from 'node:async_hooks';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { PauseWatch } from './pause-watch.ts';
import type { SendFence } from './send-fence.ts';

/** One watched outbound call, with everything that it includes. */
export const WATCHED_KINDS = ['dispatch', 'delivery', 'provider_read', 'import_fetch', 'chat', 'embeddings'] as const;
export type WatchedKind = (typeof WATCHED_KINDS)[number];

interface WatchedCall {
  workspaceId: string;
  /** Identifies the call to an operator: ids, never contents. */
  ids: Record<string, string>;
  timeoutMs: number;
}

/** A dispatch has a fence, which is asked before each write. What may be sent twice, or only reads, needs none. */
export type Watched = WatchedCall &
  ({ kind: 'dispatch'; fence: SendFence } | { kind: Exclude<WatchedKind, 'dispatch'> });

export interface WatchdogOptions {
  logger: Pick<Logger, 'error'>;
  /** How long after its deadline a call is ended. */
  graceMs?: number;
  intervalMs?: number;
  pauses?: PauseWatch;
  /** Runs each call within something of its own, such as a span. */
  around?: <T>(watched: Watched, call: () => Promise<T>) => Promise<T>;
}

/** A call was ended for outliving its deadline. Its outcome is unknown. */
export class OverdueError extends Error {
  constructor(kind: WatchedKind) {
    super(`the ${kind} outlived its deadline and was ended`);
    this.name = 'OverdueError';
  }
}

/** Long enough that a busy event loop does not look like a lost timer. */
export const WATCHDOG_GRACE_MS = 30_000;
const WATCHDOG_INTERVAL_MS = 5_000;

type Call = Watched & {
  startedAtMs: number;
  sockets: Set<Socket>;
  overdue: OverdueError | null;
  end(error: OverdueError): void;
};

const current = new AsyncLocalStorage<Call>();

/**
 * Ends calls that outlive their deadline and would hold their slot. One interval checks all calls in flight. It
 * destroys an overdue call's sockets, aborts its signal and rejects it, even where the call ignores both.
 */
export class Watchdog {
  /** Notices when this process stood still. */
  readonly pauses: PauseWatch;
  private readonly calls = new Set<Call>();
  private readonly ended = new Map<WatchedKind, number>(WATCHED_KINDS.map((kind) => [kind, 0]));
  private readonly logger: Pick<Logger, 'error'>;
  private readonly graceMs: number;
  private readonly interval: ReturnType<typeof setInterval>;
  private readonly around: NonNullable<WatchdogOptions['around']>;

  constructor(options: WatchdogOptions) {
    const { logger, graceMs = WATCHDOG_GRACE_MS, intervalMs = WATCHDOG_INTERVAL_MS, pauses } = options;
    this.logger = logger;
    this.around = options.around ?? ((_, call) => call());
    this.graceMs = graceMs;
    this.pauses = pauses ?? new PauseWatch();
    this.interval = setInterval(() => this.look(), intervalMs).unref();
  }

  /** Returns the call's result. The signal aborts only when the watchdog ends the call; then throws OverdueError. */
  async run<T>(watched: Watched, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    const call: Call = { ...watched, startedAtMs: performance.now(), sockets: new Set(), overdue: null, end: () => {} };
    const overdue = new Promise<never>((_, reject) => {
      call.end = (error) => {
        reject(error);
        controller.abort(error);
      };
    });
    this.calls.add(call);
    try {
      return await Promise.race([
        current.run(call, () => this.around(watched, () => work(controller.signal))),
        overdue,
      ]);
    } finally {
      this.calls.delete(call);
    }
  }

  /** For each kind, the calls under way and those that were ended since the process started. */
  figures(): { kind: WatchedKind; inFlight: number; ended: number }[] {
    const calls = [...this.calls];
    return WATCHED_KINDS.map((kind) => ({
      kind,
      inFlight: calls.filter((call) => call.kind === kind).length,
      ended: this.ended.get(kind) ?? 0,
    }));
  }

  close(): void {
    clearInterval(this.interval);
    this.pauses.close();
  }

  private look(): void {
    const now = performance.now();
    for (const call of this.calls) {
      if (now >= call.startedAtMs + call.timeoutMs + this.graceMs) this.end(call, now);
    }
  }

  private end(call: Call, now: number): void {
    const { kind, workspaceId, ids, timeoutMs, sockets, startedAtMs } = call;
    call.overdue = new OverdueError(kind);
    this.calls.delete(call);
    this.ended.set(kind, (this.ended.get(kind) ?? 0) + 1);
    const facts = { kind, workspaceId, ...ids, timeoutMs, ranMs: Math.round(now - startedAtMs), sockets: sockets.size };
    this.logger.error(facts, 'a call outlived its deadline: the watchdog ended it');
    for (const socket of sockets) socket.destroy(call.overdue);
    call.end(call.overdue);
  }
}

/** The workspace of the current call; null outside of one. */
export function workspaceOfCall(): string | null {
  return current.getStore()?.workspaceId ?? null;
}

/** The fence of the current call; null where it needs none. */
export function fenceOfCall(): SendFence | null {
  const call = current.getStore();
  return call?.kind === 'dispatch' ? call.fence : null;
}

/** Registers a new socket with the current call's watchdog, if any. Throws OverdueError where that call was ended. */
export function watchSocket(socket: Socket): void {
  const call = current.getStore();
  if (call === undefined) return;
  if (call.overdue !== null) {
    socket.destroy();
    throw call.overdue;
  }
  call.sockets.add(socket);
  socket.once('close', () => call.sockets.delete(socket));
}
