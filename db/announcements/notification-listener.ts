import { Client, type Notification } from 'pg';

/**
 * Every channel, with its payload. Frequent settlements are announced after their commit (`Announcer`); for the rest `pg_notify` is
 * called inside the transaction that makes the change.
 */
export const CHANNELS = {
  /** Payload: `<workspace id>/<environment id>/<invocation id>`. The invocation is at rest. */
  invocationSettled: 'invocation_settled',
  /** Payload: `<workspace id>/<environment id>/<approval id>`. It was asked for, a decision was made, or it ended. */
  approvalChanged: 'approval_changed',
  /** Payload: `<environment id>/<SHA-256 of the key, hex>`. The claim was completed or freed. */
  idempotencyCompleted: 'idempotency_completed',
  /** Payload: the workspace id. Its plan changed. */
  planChanged: 'workspace_plan_changed',
  /** No payload. Expensive work was paused or resumed for the installation. */
  expensiveWorkChanged: 'expensive_work_changed',
  /** Payload: `<workspace id>/<environment id>`. A message became due, or a limit wider. */
  lanesReady: 'lanes_ready',
  /** Payload: `<workspace id>/<environment id or nothing>/<topic>/<id or nothing>`. The record changed, for whoever looks at it. */
  recordChanged: 'record_changed',
  /** Payload: the session id. A sign-in session ended (0004-held-credentials). */
  sessionEnded: 'session_ended',
} as const;
export type Channel = (typeof CHANNELS)[keyof typeof CHANNELS];

export type NotificationHandler = (payload: string) => void;

export interface NotificationListenerOptions {
  /** Must be a direct connection or a session-mode pool: LISTEN does not survive a transaction-mode pool. */
  url: string;
  applicationName: string;
  /** Called when the connection is lost, and on each failed attempt to reconnect. */
  onError(error: Error, context: { attempt: number; retryInMs: number }): void;
}

const BACKOFF_FIRST_MS = 100;
const BACKOFF_MAX_MS = 5_000;
const CONNECT_TIMEOUT_MS = 5_000;
/** A connection whose peer vanished silently looks healthy for hours. A query on it reveals that. */
const HEARTBEAT_INTERVAL_MS = 10_000;
const HEARTBEAT_TIMEOUT_MS = 5_000;

/**
 * One dedicated LISTEN connection for the process, which reconnects by itself.
 *
 * A notification is a hint, never the truth: PostgreSQL keeps none for a listener that is away. A waiter therefore registers
 * first, then reads the row, then waits. `onGap` reports when notifications may have been lost (the connection broke, an attempt
 * to reconnect failed, or the connection is back), so that waiters read the row again.
 */
export class NotificationListener {
  private readonly options: NotificationListenerOptions;
  private readonly handlers = new Map<Channel, Set<NotificationHandler>>();
  private readonly gapHandlers = new Set<() => void>();
  private client: Client | null = null;
  private retryTimer: NodeJS.Timeout | null = null;
  private heartbeatTimer: NodeJS.Timeout | null = null;
  private failedAttempts = 0;
  private closed = false;

  constructor(options: NotificationListenerOptions) {
    this.options = options;
  }

  /** Connects. Throws where the first connection fails: a process that cannot reach its database must not start. */
  async start(): Promise<void> {
    await this.connect();
  }

  get connected(): boolean {
    return this.client !== null;
  }

  /**
   * Registers a handler immediately; the returned function removes it. On a live connection the LISTEN follows, and then a gap is
   * reported.
   */
  listen(channel: Channel, handler: NotificationHandler): () => void {
    const handlers = this.handlers.get(channel) ?? new Set();
    const isNewChannel = handlers.size === 0;
    handlers.add(handler);
    this.handlers.set(channel, handlers);
    const client = this.client;
    if (isNewChannel && client !== null) {
      client.query(`LISTEN ${channel}`).then(
        () => this.tellGap(),
        (error: Error) => this.lost(client, error),
      );
    }
    return () => handlers.delete(handler);
  }

  /** Calls `handler` whenever notifications may have been missed. The returned function removes it. */
  onGap(handler: () => void): () => void {
    this.gapHandlers.add(handler);
    return () => this.gapHandlers.delete(handler);
  }

  async close(): Promise<void> {
    this.closed = true;
    if (this.retryTimer !== null) clearTimeout(this.retryTimer);
    if (this.heartbeatTimer !== null) clearInterval(this.heartbeatTimer);
    const client = this.client;
    this.client = null;
    await client?.end();
  }

  private async connect(): Promise<void> {
    const client = new Client({
      connectionString: this.options.url,
      application_name: this.options.applicationName,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      query_timeout: HEARTBEAT_TIMEOUT_MS,
    });
    client.on('notification', (message) => this.dispatch(message));
    client.on('error', (error) => this.lost(client, error));
    client.on('end', () => this.lost(client, new Error('the LISTEN connection ended')));
    try {
      await client.connect();
      for (const channel of this.handlers.keys()) await client.query(`LISTEN ${channel}`);
    } catch (error) {
      abandon(client);
      throw error;
    }
    if (this.closed) return abandon(client);
    this.client = client;
    this.failedAttempts = 0;
    this.heartbeatTimer = setInterval(() => this.heartbeat(client), HEARTBEAT_INTERVAL_MS).unref();
    this.tellGap();
  }

  private heartbeat(client: Client): void {
    client.query('SELECT 1').catch((error: Error) => this.lost(client, error));
  }

  private dispatch(message: Notification): void {
    for (const [channel, handlers] of this.handlers) {
      if (channel !== message.channel) continue;
      for (const handler of handlers) handler(message.payload ?? '');
    }
  }

  private lost(client: Client, error: Error): void {
    if (this.closed || this.client !== client) return; // reported once for each connection
    this.client = null;
    if (this.heartbeatTimer !== null) clearInterval(this.heartbeatTimer);
    abandon(client);
    this.retry(error);
  }

  private retry(error: Error): void {
    const retryInMs = Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** this.failedAttempts);
    this.failedAttempts += 1;
    this.options.onError(error, { attempt: this.failedAttempts, retryInMs });
    this.tellGap();
    this.retryTimer = setTimeout(() => {
      this.connect().catch((failure: Error) => {
        if (!this.closed) this.retry(failure);
      });
    }, retryInMs);
  }

  private tellGap(): void {
    for (const handler of this.gapHandlers) handler();
  }
}

/** Ends a connection that is no longer used. An error while it ends has no consequence. */
function abandon(client: Client): void {
  client.removeAllListeners();
  client.on('error', () => undefined);
  client.end().catch(() => undefined);
}
