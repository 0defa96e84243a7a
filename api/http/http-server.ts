import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { type AddressRanges, isInRanges, networkOf } from '../../domain/address-ranges.ts';

export interface HttpLimits {
  connectionsMax: number;
  /** Connections of one IPv4 address or one IPv6 /64. Trusted proxies are exempt: each carries many clients. */
  connectionsPerAddressMax: number;
  /** From the connection, or the last reply on it, to the end of the headers. */
  headersTimeoutMs: number;
  /** From the same start to the end of the body. */
  requestTimeoutMs: number;
}

/** Longer than load balancers keep idle connections, so that they close first and no request meets a closing socket. */
export const KEEP_ALIVE_TIMEOUT_MS = 75_000;
/** How far apart Node looks for requests that are overdue. Its default of 30 s would triple a time-out of 15 s. */
const OVERDUE_CHECK_INTERVAL_MS = 1_000;
/** Time after which an unread reply is given up. */
export const UNREAD_REPLY_TIMEOUT_MS = 60_000;
/** Requests that still wait at the end of the grace period get this long to reply with what is known. */
const LAST_REPLIES_MS = 2_000;
/** A connection that is new at the start of the drain has sent its first bytes by then. */
const SILENT_GRACE_MS = 1_000;
const REFUSALS_LOG_INTERVAL_MS = 60_000;

export interface HttpServerOptions {
  limits: HttpLimits;
  trustedProxies: AddressRanges;
  logger: Logger;
  unreadReplyTimeoutMs?: number;
}

/** An HTTP server that bounds its clients' share and stops without breaking off a reply. */
export class HttpServer {
  private readonly server: Server;
  private readonly open = new Set<ServerResponse>();
  private readonly byNetwork: ConnectionsByNetwork;
  private readonly options: HttpServerOptions;
  private readonly sockets = new Set<Socket>();
  private isDraining = false;
  private refusals = 0;
  private refusalsLoggedAt = -Infinity;

  constructor(callback: (request: IncomingMessage, response: ServerResponse) => void, options: HttpServerOptions) {
    this.options = options;
    this.byNetwork = new ConnectionsByNetwork(options.limits.connectionsPerAddressMax);
    const { headersTimeoutMs, requestTimeoutMs, connectionsMax } = options.limits;
    this.server = createServer(
      {
        headersTimeout: Math.min(headersTimeoutMs, requestTimeoutMs),
        requestTimeout: requestTimeoutMs,
        keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
        connectionsCheckingInterval: OVERDUE_CHECK_INTERVAL_MS,
      },
      callback,
    );
    this.server.maxConnections = connectionsMax;
    this.server.on('drop', () => {
      // Later connections take the slots of idle kept-alive ones.
      this.server.closeIdleConnections();
      this.noteRefusal();
    });
    this.server.on('connection', (socket) => this.admit(socket));
    this.server.prependListener('request', (_request, response) => this.watch(response));
  }

  listen(port: number, host: string): Promise<number> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      // Node's backlog of 511 drops the packets of a burst of connections, which their clients repeat after a second, and after three.
      const backlog = this.options.limits.connectionsMax;
      this.server.listen({ port, host, backlog }, () => {
        this.server.removeListener('error', reject);
        const address = this.server.address();
        resolve(address !== null && typeof address === 'object' ? address.port : port);
      });
    });
  }

  /** Requests without a complete reply. */
  get unanswered(): number {
    return this.open.size;
  }

  /** Open connections, and how many were refused since the process started. */
  get connections(): { open: number; refused: number } {
    return { open: this.sockets.size, refused: this.refusals };
  }

  /** Waits for the replies under way. `hurry` is called when the grace is over; what is still open soon after is cut off. */
  async drain(graceMs: number, hurry: () => void): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.server.close(() => resolve());
    });
    // Connections that are kept alive would keep the server open: every reply from here on is its connection's last.
    this.isDraining = true;
    for (const response of this.open) response.shouldKeepAlive = false;
    const silentTimer = setTimeout(() => this.endSilent(), Math.min(SILENT_GRACE_MS, graceMs));
    const hurryTimer = setTimeout(hurry, graceMs);
    const cutTimer = setTimeout(() => this.server.closeAllConnections(), graceMs + LAST_REPLIES_MS);
    await closed;
    clearTimeout(silentTimer);
    clearTimeout(hurryTimer);
    clearTimeout(cutTimer);
  }

  /**
   * Ends the connections that were opened in advance and never used, as browsers and load balancers do. Node takes them for busy, and a
   * closed server no longer looks for overdue headers: each stop would take its whole grace.
   */
  private endSilent(): void {
    for (const socket of this.sockets) if (socket.bytesRead === 0) socket.destroy();
  }

  /** Counts a connection against its address, and ends it where that has too many. */
  private admit(socket: Socket): void {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined) return; // it is gone already
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket));
    if (isInRanges(remoteAddress, this.options.trustedProxies)) return;
    const leave = this.byNetwork.enter(remoteAddress);
    if (leave === null) {
      socket.destroy();
      return this.noteRefusal();
    }
    socket.once('close', leave);
  }

  private watch(response: ServerResponse): void {
    this.open.add(response);
    if (this.isDraining) response.shouldKeepAlive = false;
    let timer: NodeJS.Timeout | undefined;
    response.once('prefinish', () => {
      if (response.writableFinished) return;
      const timeoutMs = this.options.unreadReplyTimeoutMs ?? UNREAD_REPLY_TIMEOUT_MS;
      timer = setTimeout(() => response.socket?.destroy(), timeoutMs);
    });
    response.once('close', () => {
      clearTimeout(timer);
      this.open.delete(response);
      // A reply that had begun before the drain, such as a stream, promised to keep its connection: it would take the whole grace.
      if (this.isDraining) setImmediate(() => this.server.closeIdleConnections());
    });
  }

  /** At most one line a minute: a client that floods us must not flood the log too. */
  private noteRefusal(): void {
    this.refusals += 1;
    const now = performance.now();
    if (now - this.refusalsLoggedAt < REFUSALS_LOG_INTERVAL_MS) return;
    this.refusalsLoggedAt = now;
    this.options.logger.warn(
      { refusals: this.refusals },
      'connections were refused: the process or an address has too many',
    );
  }
}

/** Counts open connections for each IPv4 address and each IPv6 /64: one client has a whole /64 to take addresses from. */
export class ConnectionsByNetwork {
  readonly #most: number;
  readonly #open = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Counts one more connection of the address. Returns what counts it out again; null where the network has too many. */
  enter(address: string): (() => void) | null {
    const network = networkOf(address);
    const open = this.#open.get(network) ?? 0;
    if (open >= this.#most) return null;
    this.#open.set(network, open + 1);
    return () => this.#leave(network);
  }

  #leave(network: string): void {
    const left = (this.#open.get(network) ?? 1) - 1;
    if (left === 0) this.#open.delete(network);
    else this.#open.set(network, left);
  }
}
