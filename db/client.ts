import type { Pool, PoolClient } from 'pg';
import { type Announcement, Announcer } from './announcements/announcer.ts';
import { type BoundStatement, type Result, sendTogether } from './round-trip.ts';
import type { Scope, TransactionOptions } from './scope.ts';
import { openPool, POOL_MAX_DEFAULT, type PoolOptions } from './pool.ts';
import { type Bindings, boundStatement, type StatementName } from './statement.ts';
import { type Answers, type Step, transactionOf } from './transaction.ts';
import { inTransactionSpan } from './transaction-span.ts';
import { NO_TRACING, type Tracing } from '../domain/tracing/tracing.ts';

/** The tenant of a query. Every tenant row belongs to one environment of one workspace. */
export interface Tenant {
  workspaceId: string;
  environmentId: string;
}

/** Sends one statement under its name; `?` or `:name` marks a value. */
export interface Statements {
  /** Returns the whole answer of the driver, with `rows` and `rowCount`. */
  raw<Answer>(name: StatementName, sql: string, bindings?: Bindings): Promise<Answer>;
  rows<Row>(name: StatementName, sql: string, bindings?: Bindings): Promise<Row[]>;
  /** Returns the first row, or null when there is none. */
  row<Row>(name: StatementName, sql: string, bindings?: Bindings): Promise<Row | null>;
}

/** They send by the `raw` of the object that they are called on, so that who replaces `raw` sees every statement. */
export const OVER_RAW = {
  async rows<Row>(this: Pick<Statements, 'raw'>, ...statement: Parameters<Statements['raw']>): Promise<Row[]> {
    return (await this.raw<{ rows: Row[] }>(...statement)).rows;
  },
  async row<Row>(this: Pick<Statements, 'raw'>, ...statement: Parameters<Statements['raw']>): Promise<Row | null> {
    return (await this.raw<{ rows: Row[] }>(...statement)).rows[0] ?? null;
  },
};

/** The operations of every transaction. It refuses a statement while another one is under way. */
export interface ScopedTransaction extends Statements {
  /**
   * Sends what the steps send in the order in which they are written, in one round trip, and returns what each of them answers:
   * `tx.inOrder(() => lockInvocation(tx, id), () => readAttempt(tx, id))`. A step sends all of its statements before its first
   * `await`; a later one is refused. A step may call `inOrder` itself. After a statement that fails the others are not run.
   */
  inOrder<const Steps extends readonly Step[]>(...steps: Steps): Promise<Answers<Steps>>;
  /** The same, and the commit goes with them. The transaction takes nothing after it. Where one fails, nothing is committed. */
  last<const Steps extends readonly Step[]>(...steps: Steps): Promise<Answers<Steps>>;
  /** Notifies those who wait, once the transaction has committed; not at all where it does not. */
  announce(announcement: Announcement): void;
}

declare const environmentBrand: unique symbol;
/** A transaction whose settings name a tenant. Only `withEnvironment` creates one, and every query of a tenant table needs one. */
export interface EnvironmentTransaction extends ScopedTransaction {
  readonly tenant: Tenant;
  readonly [environmentBrand]: true;
}

declare const workspaceBrand: unique symbol;
/** A transaction whose settings name a workspace and no environment. Only `withWorkspace` and `withMember` create one. */
export interface WorkspaceTransaction extends ScopedTransaction {
  readonly [workspaceBrand]: true;
}

declare const userBrand: unique symbol;
/**
 * A transaction whose settings name a user, for their own account and sign-in sessions. Only `withUser` and `withMember` create
 * one.
 */
export interface UserTransaction extends ScopedTransaction {
  readonly [userBrand]: true;
}

export interface DatabaseOptions extends PoolOptions {
  /** Takes an announcement in place of a notification, where this process hears it itself. Returns false for any other. */
  hears?: ((announcement: Announcement) => boolean) | undefined;
  /** A commit whose caller asks for it (`onUnreplicated`) counts as unreplicated where it waits for no standby. */
  requireSyncStandby?: boolean;
  /** Traces the transactions of traced work. */
  tracing?: Tracing;
}

/** The pool had no free connection, and could not open one, within the maximum wait. The condition is temporary. */
export class NoConnectionError extends Error {
  override readonly name = 'NoConnectionError';
}

type ScopedWork<T> = (tx: ScopedTransaction) => Promise<T>;
type ScopedOptions = TransactionOptions & { isOneStatement?: boolean };

/** How a pool is used now. */
export interface PoolFigures {
  busy: number;
  idle: number;
  max: number;
  /** Work that waits for a connection. */
  waiting: number;
  /** Work that waited in vain, since the process started. */
  timeouts: number;
}

export class Database {
  /**
   * The pool without a tenant: for the SECURITY DEFINER functions of the migrations and for health checks only. Row-level
   * security makes every tenant table empty in it.
   */
  readonly directory: Statements;
  private closing: Promise<void> | null = null;
  private readonly pool: Pool;
  private timeouts = 0;
  private readonly announcer: Announcer;
  private readonly requireSyncStandby: boolean;
  private readonly tracing: Tracing;
  private readonly hears: (announcement: Announcement) => boolean;

  constructor({ hears = () => false, ...options }: DatabaseOptions) {
    this.tracing = options.tracing ?? NO_TRACING;
    this.hears = hears;
    this.requireSyncStandby = options.requireSyncStandby ?? false;
    this.pool = openPool(options);
    this.directory = {
      raw: async (...statement) => (await this.ask(boundStatement(...statement))) as never,
      ...OVER_RAW,
    };
    // Its commit need not be on disk: what it says is.
    this.announcer = new Announcer((announcements) =>
      this.ask(
        boundStatement(
          'announce',
          `SELECT set_config('synchronous_commit', 'off', true), (SELECT count(pg_notify(channel, payload)) FROM unnest(?::text[], ?::text[]) AS announced (channel, payload))`,
          [announcements.map(({ channel }) => channel), announcements.map(({ payload }) => payload)],
        ),
      ),
    );
  }

  /**
   * The only way to query a tenant's rows. Opens one transaction with settings that name the tenant; row-level security compares
   * every row with them. Rolls back when `work` throws.
   */
  async withEnvironment<T>(
    tenant: Tenant,
    work: (tx: EnvironmentTransaction) => Promise<T>,
    options: TransactionOptions = {},
  ): Promise<T> {
    const scope = ofTenant(tenant);
    return this.transact(scope, (tx) => work({ ...tx, tenant: scope } as EnvironmentTransaction), options);
  }

  /**
   * The same for work that is exactly one `raw` statement. Tenant, statement and commit take one round trip. `work` cannot roll
   * back after it has the answer, and a second statement throws.
   */
  async oneStatement<T>(
    tenant: Tenant,
    work: (tx: EnvironmentTransaction) => Promise<T>,
    options: TransactionOptions = {},
  ): Promise<T> {
    const one = { ...options, isOneStatement: true };
    const scope = ofTenant(tenant);
    return this.transact(scope, (tx) => work({ ...tx, tenant: scope } as EnvironmentTransaction), one);
  }

  /**
   * For the tables of a workspace as a whole (members, keys, audit): one transaction with settings that name the workspace and no
   * environment. Tables of an environment are empty in it. Rolls back when `work` throws.
   */
  async withWorkspace<T>(
    workspaceId: string,
    work: (tx: WorkspaceTransaction) => Promise<T>,
    options: TransactionOptions = {},
  ): Promise<T> {
    return this.transact({ workspaceId }, (tx) => work(tx as WorkspaceTransaction), options);
  }

  /** For a user's own account and sign-in sessions, which belong to no workspace. Rolls back when `work` throws. */
  async withUser<T>(
    userId: string,
    work: (tx: UserTransaction) => Promise<T>,
    options: TransactionOptions = {},
  ): Promise<T> {
    return this.transact({ userId }, (tx) => work(tx as UserTransaction), options);
  }

  /** A user and a workspace in one transaction, for a change of both: accepting an invitation. */
  async withMember<T>(
    ids: { userId: string; workspaceId: string },
    work: (tx: UserTransaction & WorkspaceTransaction) => Promise<T>,
  ): Promise<T> {
    const scope = { userId: ids.userId, workspaceId: ids.workspaceId };
    return this.transact(scope, (tx) => work(tx as UserTransaction & WorkspaceTransaction), {});
  }

  /** Calls `listener` after the pool has opened a connection. Returns what ends it. */
  onConnect(listener: () => void): () => void {
    this.pool.on('connect', listener);
    return () => void this.pool.off('connect', listener);
  }

  poolFigures(): PoolFigures {
    const { totalCount, idleCount, waitingCount, options } = this.pool;
    return {
      busy: totalCount - idleCount,
      idle: idleCount,
      max: options.max ?? POOL_MAX_DEFAULT,
      waiting: waitingCount,
      timeouts: this.timeouts,
    };
  }

  /** Closes every connection. A second call waits for the first. */
  async close(): Promise<void> {
    this.closing ??= this.announcer.flush().then(() => this.pool.end());
    await this.closing;
  }

  private async acquire(): Promise<PoolClient> {
    try {
      return await this.pool.connect();
    } catch (error) {
      // pg has no code for this time-out, only a message.
      if (!(error instanceof Error) || !/timeout/.test(error.message)) throw error;
      this.timeouts += 1;
      throw new NoConnectionError('no connection to the database was free in time', { cause: error });
    }
  }

  private async ask(statement: BoundStatement): Promise<Result | undefined> {
    const client = await this.acquire();
    try {
      const { results, failure } = await sendTogether(client, [statement]);
      if (failure !== null) throw failure;
      return results[0];
    } finally {
      client.release();
    }
  }

  private transact<T>(scope: Scope, work: ScopedWork<T>, options: ScopedOptions): Promise<T> {
    return inTransactionSpan(this.tracing, (traced) => this.transactUnder(scope, work, { ...options, ...traced }));
  }

  private async transactUnder<T>(scope: Scope, work: ScopedWork<T>, options: ScopedOptions): Promise<T> {
    const open = transactionOf(scope, options);
    const client = await this.acquire();
    const transaction = open(client);
    let isUsable = true;
    try {
      const result = await work({
        raw: async (...statement) => {
          options.onStatement?.(statement[0]);
          return (await transaction.query(boundStatement(...statement))) as never;
        },
        ...OVER_RAW,
        inOrder: (...steps) => transaction.inOrder(steps),
        last: (...steps) => transaction.inOrder(steps, true),
        announce: (announcement) => void transaction.announced.push(announcement),
      });
      await transaction.commit();
      const isReplicated = transaction.isReplicated && (transaction.isSynchronous || !this.requireSyncStandby);
      if (!isReplicated) options.onUnreplicated?.();
      this.announcer.send(transaction.announced.filter((announcement) => !this.hears(announcement)));
      return result;
    } catch (error) {
      isUsable = await transaction.rollBack();
      throw transaction.openingFailure ?? error;
    } finally {
      client.release(!isUsable);
    }
  }
}

/** A caller may pass an object with more members than these two; only these two set the scope. */
function ofTenant({ workspaceId, environmentId }: Tenant): Tenant {
  return { workspaceId, environmentId };
}
