import knex, { type Knex } from 'knex';
import type { Client, QueryConfig, QueryResult } from 'pg';
import { beginAs, type TransactionOptions } from './scope.ts';
import { type Bindings, type Statement, statementOf, valuesOf } from './statement.ts';

/** Who a query is for. Every tenant row belongs to exactly one environment of one workspace. */
export interface Tenant {
  workspaceId: string;
  environmentId: string;
}

/** What every transaction of ours can do. */
export interface ScopedTransaction {
  /** knex's query builder on one table. */
  (table: string): Knex.QueryBuilder;
  /** One statement, sent at once; `?` or `:name` stand for its values. Answers pg's result. */
  raw<Result>(sql: string, bindings?: Bindings): Promise<Result>;
  /** A piece of SQL to stand within a query of the builder; it is not sent by itself. */
  expression(sql: string, bindings?: readonly Knex.RawBinding[]): Knex.Raw;
  readonly fn: Knex['fn'];
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
const ACQUIRE_TIMEOUT_MS = 10_000;
const CONNECT_TIMEOUT_MS = 10_000;
/** No statement of ours runs long; one that does must not hold its locks for ever. */
const STATEMENT_TIMEOUT_MS = 30_000;
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 60_000;

/** A connection of knex's pool, which never hands out a disposed one again. */
type PooledClient = Client & { __knex__disposed?: unknown };

export class Database {
  private readonly pool: Directory;

  constructor(options: DatabaseOptions) {
    const pool = knex({
      client: 'pg',
      connection: {
        connectionString: options.url,
        application_name: options.applicationName,
        connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
        statement_timeout: STATEMENT_TIMEOUT_MS,
        idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
        // A statement is sent without waiting for the answer to the one before it.
        pipeline: true,
      } as Knex.PgConnectionConfig,
      pool: { min: 0, max: options.poolMax ?? POOL_MAX_DEFAULT },
      acquireConnectionTimeout: ACQUIRE_TIMEOUT_MS,
      // Otherwise an error's message repeats the statement with its values, and reaches a log.
      compileSqlOnError: false,
    });
    this.pool = Object.assign(pool, { ask: askOn(pool) });
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

  /** For the SECURITY DEFINER functions of the migrations alone, and for health checks: without a tenant every tenant table is empty. */
  get directory(): Directory {
    return this.pool;
  }

  async close(): Promise<void> {
    await this.pool.destroy();
  }

  /**
   * Driven by hand rather than by `knex.transaction`, whose own work cost more than all of ours (docs/performance.md): the
   * BEGIN travels with the first statement, and statements are prepared once for each connection.
   */
  private async transact<T>(
    begin: string,
    work: (tx: ScopedTransaction) => Promise<T>,
    { isOneStatement = false, readOnly = false }: { isOneStatement?: boolean; readOnly?: boolean } = {},
  ): Promise<T> {
    const client = (await this.pool.client.acquireConnection()) as PooledClient;
    let isOver = false;
    let commit: Promise<QueryResult> | null = null;
    let beginFailure: { error: unknown } | null = null;
    try {
      sendTogether(client);
      // Every statement behind it fails too, and says less: this failure is the one that is thrown.
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
      const result = await work(this.transactionOn(client, query));
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
      await rollBack(client);
      throw beginFailure === null ? error : (beginFailure as { error: unknown }).error;
    } finally {
      await this.pool.client.releaseConnection(client);
    }
  }

  private transactionOn(client: Client, query: Query): ScopedTransaction {
    const { pool } = this;
    const builder = (table: string): Knex.QueryBuilder => pool(table).connection(client);
    const raw = (sql: string, bindings?: Bindings): Promise<QueryResult> => {
      // Without values it may be several statements in one text, which cannot be prepared.
      if (bindings === undefined) return query({ text: sql });
      return query(configOf(statementOf(sql, bindings), bindings));
    };
    const expression = (sql: string, bindings: readonly Knex.RawBinding[] = []): Knex.Raw => pool.raw(sql, bindings);
    return Object.assign(builder, { raw, expression, fn: pool.fn }) as unknown as ScopedTransaction;
  }
}

type Query = (config: QueryConfig) => Promise<QueryResult>;

/** The pool without a tenant. */
export type Directory = Knex & {
  /** One statement by itself, prepared once for each connection: for what every request asks. Answers pg's result. */
  ask<Result>(sql: string, bindings: Bindings): Promise<Result>;
};

function askOn(pool: Knex): Directory['ask'] {
  return async <Result>(sql: string, bindings: Bindings): Promise<Result> => {
    const statement = statementOf(sql, bindings);
    const client = (await pool.client.acquireConnection()) as PooledClient;
    try {
      return (await client.query(configOf(statement, bindings))) as Result;
    } finally {
      await pool.client.releaseConnection(client);
    }
  };
}

function configOf(statement: Statement, bindings: Bindings): QueryConfig {
  const values = valuesOf(statement, bindings);
  return { text: statement.text, values, ...(statement.name === null ? {} : { name: statement.name }) };
}

/** A caller may hand in more than a tenant: only these two are its scope. */
function ofTenant({ workspaceId, environmentId }: Tenant): Tenant {
  return { workspaceId, environmentId };
}

/** Everything that is sent from here on until the event loop turns leaves in one packet. */
function sendTogether({ connection: { stream } }: Client): void {
  stream.cork();
  process.nextTick(() => stream.uncork());
}

/** Who has the connection next is answered after this. A connection whose COMMIT fails is broken, and is not used again. */
function endInPassing(client: PooledClient): void {
  client.query('COMMIT').catch((error: unknown) => (client.__knex__disposed ??= error));
}

/** A connection whose transaction cannot be ended is not used again. */
async function rollBack(client: PooledClient): Promise<void> {
  try {
    await client.query('ROLLBACK');
  } catch (error) {
    client.__knex__disposed ??= error;
  }
}
