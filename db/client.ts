import { Pool, type PoolClient, type QueryConfig, type QueryResult } from 'pg';
import { beginAs, type TransactionOptions } from './scope.ts';
import { type Bindings, statementOf, valuesOf } from './statement.ts';

/** The tenant of a query. Every tenant row belongs to exactly one environment of one workspace. */
export interface Tenant {
  workspaceId: string;
  environmentId: string;
}

/** What every transaction of ours can do. */
export interface ScopedTransaction {
  /**
   * One statement, sent at once; `?` or `:name` marks a value. Returns pg's result. It is prepared once for each connection,
   * under the name of its file. Without values the text may hold several statements.
   */
  raw<Result>(sql: string, bindings?: Bindings): Promise<Result>;
}

declare const environmentBrand: unique symbol;
/** A transaction whose settings name a tenant. Only `withEnvironment` makes one, and every query of a tenant table takes one. */
export interface EnvironmentTransaction extends ScopedTransaction {
  readonly [environmentBrand]: true;
}

declare const workspaceBrand: unique symbol;
/** A transaction whose settings name a workspace and no environment. Only `withWorkspace` and `withMember` make one. */
export interface WorkspaceTransaction extends ScopedTransaction {
  readonly [workspaceBrand]: true;
}

declare const userBrand: unique symbol;
/** A transaction whose settings name a user: their own account and sign-in sessions. Only `withUser` and `withMember` make one. */
export interface UserTransaction extends ScopedTransaction {
  readonly [userBrand]: true;
}

export interface DatabaseOptions {
  url: string;
  /** Connections at most; the process needs one more for its notifications. */
  poolMax?: number;
  applicationName: string;
}

export const POOL_MAX_DEFAULT = 20;
/** Waiting time for a connection of the pool, free or new. */
const ACQUIRE_TIMEOUT_MS = 10_000;
const IDLE_CONNECTION_TIMEOUT_MS = 30_000;
/** No statement of ours runs long; one that does must not hold its locks for ever. */
const STATEMENT_TIMEOUT_MS = 30_000;
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 60_000;

/** No connection was free, or could be made, within the waiting time. It passes by itself. */
export class NoConnectionError extends Error {
  override readonly name = 'NoConnectionError';
}

export class Database {
  /**
   * The pool without a tenant, only for the SECURITY DEFINER functions of the migrations and for health checks. Every tenant
   * table is empty in it.
   */
  readonly directory: Directory;
  private closing: Promise<void> | null = null;
  private readonly pool: Pool;

  constructor(options: DatabaseOptions) {
    this.pool = new Pool({
      connectionString: options.url,
      application_name: options.applicationName,
      connectionTimeoutMillis: ACQUIRE_TIMEOUT_MS,
      idleTimeoutMillis: IDLE_CONNECTION_TIMEOUT_MS,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
      // A statement is sent without waiting for the answer to the one before it.
      pipeline: true,
      max: options.poolMax ?? POOL_MAX_DEFAULT,
    });
    // A lost connection fails the statements in flight on it, and the pool drops it. The statements' callers see the error.
    // Without a listener the event would end the process.
    this.pool.on('error', () => undefined);
    this.pool.on('connect', (client) => client.on('error', () => undefined));
    this.directory = { raw: (sql, bindings) => this.ask(sql, bindings) };
  }

  /**
   * The only way to query a tenant's rows: one transaction whose settings name the tenant, for this transaction only. Row-level
   * security compares every row with them. Rolls back when `work` throws.
   */
  async withEnvironment<T>(
    tenant: Tenant,
    work: (tx: EnvironmentTransaction) => Promise<T>,
    options: TransactionOptions = {},
  ): Promise<T> {
    return this.transact(beginAs(ofTenant(tenant), options), (tx) => work(tx as EnvironmentTransaction), options);
  }

  /**
   * The same for work that is exactly one `raw` statement: the COMMIT travels with it too, so that it takes one round trip.
   * What `work` makes of the answer can take nothing back, and a second statement throws.
   */
  async oneStatement<T>(
    tenant: Tenant,
    work: (tx: EnvironmentTransaction) => Promise<T>,
    options: TransactionOptions = {},
  ): Promise<T> {
    const begin = beginAs(ofTenant(tenant), options);
    return this.transact(begin, (tx) => work(tx as EnvironmentTransaction), { ...options, isOneStatement: true });
  }

  /**
   * For the tables of a workspace as a whole (members, keys, audit): one transaction whose settings name the workspace and no
   * environment. Tables of an environment are empty in it. Rolls back when `work` throws.
   */
  async withWorkspace<T>(
    workspaceId: string,
    work: (tx: WorkspaceTransaction) => Promise<T>,
    options: TransactionOptions = {},
  ): Promise<T> {
    return this.transact(beginAs({ workspaceId }, options), (tx) => work(tx as WorkspaceTransaction), options);
  }

  /** For a user's own account and sign-in sessions, which belong to no workspace. Rolls back when `work` throws. */
  async withUser<T>(
    userId: string,
    work: (tx: UserTransaction) => Promise<T>,
    options: TransactionOptions = {},
  ): Promise<T> {
    return this.transact(beginAs({ userId }, options), (tx) => work(tx as UserTransaction), options);
  }

  /** A user and a workspace in one transaction, for what changes both: accepting an invitation. */
  async withMember<T>(
    ids: { userId: string; workspaceId: string },
    work: (tx: UserTransaction & WorkspaceTransaction) => Promise<T>,
  ): Promise<T> {
    return this.transact(beginAs({ userId: ids.userId, workspaceId: ids.workspaceId }), (tx) =>
      work(tx as UserTransaction & WorkspaceTransaction),
    );
  }

  /** Ends every connection. A second call waits for the first. */
  async close(): Promise<void> {
    this.closing ??= this.pool.end();
    await this.closing;
  }

  private async acquire(): Promise<PoolClient> {
    try {
      return await this.pool.connect();
    } catch (error) {
      // pg reveals only by its message that the wait timed out.
      if (!(error instanceof Error) || !/timeout/.test(error.message)) throw error;
      throw new NoConnectionError('no connection to the database was free in time', { cause: error });
    }
  }

  private async ask<Result>(sql: string, bindings?: Bindings): Promise<Result> {
    const client = await this.acquire();
    try {
      return (await client.query(configOf(sql, bindings))) as Result;
    } finally {
      client.release();
    }
  }

  /** The BEGIN travels with the first statement, and statements are prepared once for each connection (docs/performance.md). */
  private async transact<T>(
    begin: string,
    work: (tx: ScopedTransaction) => Promise<T>,
    { isOneStatement = false, readOnly = false }: { isOneStatement?: boolean; readOnly?: boolean } = {},
  ): Promise<T> {
    const client = await this.acquire();
    let isOver = false;
    let isUsable = true;
    let commit: Promise<QueryResult> | null = null;
    let beginFailure: { error: unknown } | null = null;
    try {
      sendTogether(client);
      // Every later statement fails too, and says less, so this failure is the one that is thrown.
      client.query(begin).catch((error: unknown) => (beginFailure = { error }));
      const query: Query = (config) => {
        // Also of what goes on beside a failure, as in Promise.all: the connection may be another transaction's by then.
        if (isOver) throw new Error('the transaction is over');
        sendTogether(client);
        const answer = client.query(config);
        if (isOneStatement) {
          isOver = true;
          commit = client.query('COMMIT');
          commit.catch(() => undefined); // it is awaited below, after the statement
        }
        return answer;
      };
      const result = await work({ raw: async (sql, bindings) => (await query(configOf(sql, bindings))) as never });
      isOver = true;
      if (readOnly && commit === null) {
        endInPassing(client);
        return result;
      }
      const { command } = await (commit ?? client.query('COMMIT'));
      if (command !== 'COMMIT')
        throw new Error('a statement failed, its error was swallowed, and nothing was committed');
      return result;
    } catch (error) {
      isOver = true;
      isUsable = await rollBack(client);
      throw beginFailure === null ? error : (beginFailure as { error: unknown }).error;
    } finally {
      client.release(!isUsable);
    }
  }
}

type Query = (config: QueryConfig) => Promise<QueryResult>;

/** The pool without a tenant. */
export interface Directory {
  /** One statement by itself, as that of a transaction. */
  raw<Result>(sql: string, bindings?: Bindings): Promise<Result>;
}

function configOf(sql: string, bindings?: Bindings): QueryConfig {
  const { text, name, places } = statementOf(sql, bindings);
  if (bindings === undefined) return { text };
  return { text, values: valuesOf({ places }, bindings), ...(name === null ? {} : { name }) };
}

/** A caller may hand in more than a tenant: only these two are its scope. */
function ofTenant({ workspaceId, environmentId }: Tenant): Tenant {
  return { workspaceId, environmentId };
}

/** Everything that is sent from here on until the event loop turns leaves in one packet. */
function sendTogether({ connection: { stream } }: PoolClient): void {
  stream.cork();
  process.nextTick(() => stream.uncork());
}

/** Who has the connection next is answered after this. A connection whose COMMIT fails is broken: it is ended, and the pool drops it. */
function endInPassing(client: PoolClient): void {
  client.query('COMMIT').catch(() => client.connection.stream.destroy());
}

/** False where the transaction could not be ended: then the connection is not to be used again. */
async function rollBack(client: PoolClient): Promise<boolean> {
  try {
    await client.query('ROLLBACK');
    return true;
  } catch {
    return false;
  }
}
