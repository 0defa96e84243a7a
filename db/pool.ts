import { Socket } from 'node:net';
import { Pool } from 'pg';

export interface PoolOptions {
  url: string;
  /** Maximum number of connections in the pool. The process needs one more for its notifications. */
  poolMax?: number;
  applicationName: string;
  /** How long the server may say nothing on a connection. Shorter in tests only. */
  silenceMaxMs?: number;
}

export const POOL_MAX_DEFAULT = 20;
/** Maximum wait for a connection of the pool, including the time to open one. */
const ACQUIRE_TIMEOUT_MS = 10_000;
const IDLE_CONNECTION_TIMEOUT_MS = 30_000;
/** A connection is closed after this long, with its prepared statements. */
const CONNECTION_LIFETIME_SECONDS = 24 * 60 * 60;
/** Our statements are short. A statement that is not must not hold its locks indefinitely. */
const STATEMENT_TIMEOUT_MS = 30_000;
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 60_000;
/**
 * A server that lives ends a statement or an idle transaction by then. One that lost its power or its network does not, and TCP never
 * tells: without this, its connections would stay in use, and their callers would wait, after the database is long back.
 */
const SILENCE_MAX_MS = IDLE_IN_TRANSACTION_TIMEOUT_MS + 5_000;

/** A pool of connections to PostgreSQL. */
export function openPool({ silenceMaxMs = SILENCE_MAX_MS, ...options }: PoolOptions): Pool {
  const pool = new Pool({
    connectionString: options.url,
    application_name: options.applicationName,
    connectionTimeoutMillis: ACQUIRE_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_CONNECTION_TIMEOUT_MS,
    maxLifetimeSeconds: CONNECTION_LIFETIME_SECONDS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    stream: () => socketThatEndsInSilence(silenceMaxMs),
    max: options.poolMax ?? POOL_MAX_DEFAULT,
  });
  // A lost connection fails the statements in flight on it, and their callers see the error. The pool drops the connection.
  // Without a listener this event would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** A socket that ends by itself where nothing comes for this long. */
function socketThatEndsInSilence(silenceMaxMs: number): Socket {
  const socket = new Socket();
  return socket.setTimeout(silenceMaxMs, () => {
    const error = new Error(`the database said nothing for ${silenceMaxMs} ms`);
    socket.destroy(Object.assign(error, { code: 'ETIMEDOUT' }));
  });
}
