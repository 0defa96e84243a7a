import type { PoolClient, QueryConfig, QueryResult } from 'pg';
import { codeOf } from '../domain/failures.ts';
import { sendJoined } from './joined-query.ts';
import { holdStatement, type Scope, scopeStatement, type TransactionOptions } from './scope.ts';

/** SQLSTATE in_failed_sql_transaction. */
const TRANSACTION_ABORTED = '25P02';

const BEGIN = { name: 'begin', text: 'BEGIN' };
const BEGIN_SNAPSHOT = { name: 'begin_snapshot', text: 'BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY' };

/** One transaction on one connection of the pool. It sends nothing more once `commit` or `rollBack` was called. */
export interface OpenTransaction {
  query(statement: QueryConfig): Promise<QueryResult>;
  /** Throws where a statement failed and the work went on regardless. */
  commit(): Promise<void>;
  /** False where the transaction could not be ended: then the connection is not to be used again. */
  rollBack(): Promise<boolean>;
  /** Why the transaction was not opened. Every later statement fails too, and says less. */
  openingFailure(): Error | null;
}

/**
 * What opens a transaction on a connection. Nothing is sent before the first statement, with which the opening travels.
 *
 * @throws where the scope names no id: before a connection is taken.
 */
export function transactionOf(
  scope: Scope,
  options: TransactionOptions & { isOneStatement?: boolean },
): (client: PoolClient) => OpenTransaction {
  const { readOnly, isOneStatement = false, isSnapshot = false, held } = options;
  const tenant = scopeStatement(scope, options);
  if (readOnly === true || isOneStatement) {
    if (held !== undefined) throw new Error('a credential is held by a transaction that writes');
    return (client) => new TransactionByStatement(client, tenant, isOneStatement);
  }
  const opening = [isSnapshot ? BEGIN_SNAPSHOT : BEGIN, tenant, ...(held === undefined ? [] : [holdStatement(held)])];
  return (client) => new Transaction(client, opening, held !== undefined);
}

/** From BEGIN to COMMIT. */
class Transaction implements OpenTransaction {
  private readonly client: PoolClient;
  private readonly opening: QueryConfig[];
  /** Also where the work asks for nothing: its credential must hold all the same. */
  private readonly mustOpen: boolean;
  private isOpened = false;
  private isOver = false;
  private opensNot: Error | null = null;
  /** The first failure. PostgreSQL refuses every later statement because of it. */
  private failure: Error | null = null;

  constructor(client: PoolClient, opening: QueryConfig[], mustOpen: boolean) {
    this.client = client;
    this.opening = opening;
    this.mustOpen = mustOpen;
  }

  async query(statement: QueryConfig): Promise<QueryResult> {
    // Also of what goes on beside a failure, as in Promise.all: the connection may be another transaction's by then.
    if (this.isOver) throw new Error('the transaction is over');
    sendTogether(this.client);
    try {
      return await this.send(statement);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      this.failure ??= error;
      throw codeOf(error) === TRANSACTION_ABORTED ? this.failure : error;
    }
  }

  async commit(): Promise<void> {
    this.isOver = true;
    if (!this.isOpened && this.mustOpen) await this.open([]);
    if (!this.isOpened) return;
    const { command } = await this.client.query('COMMIT');
    if (command === 'COMMIT') return;
    throw new Error('a statement failed, its error was swallowed, and nothing was committed');
  }

  async rollBack(): Promise<boolean> {
    this.isOver = true;
    if (!this.isOpened) return true;
    try {
      await this.client.query('ROLLBACK');
      return true;
    } catch {
      return false;
    }
  }

  openingFailure(): Error | null {
    return this.opensNot;
  }

  private async send(statement: QueryConfig): Promise<QueryResult> {
    if (this.isOpened) return this.client.query(statement);
    // Text that is not prepared may hold several statements, which cannot be joined to others.
    if (isPrepared(statement)) return lastOf(await this.open([statement]));
    this.open([]).catch(() => undefined); // the statement fails too, with this failure
    return this.client.query(statement);
  }

  private async open(more: readonly QueryConfig[]): Promise<QueryResult[]> {
    this.isOpened = true;
    // Told at once, before any later statement is answered.
    const failedAt = (index: number, error: Error): void => {
      this.failure ??= error;
      if (index < this.opening.length) this.opensNot = error;
    };
    return sendJoined(this.client, [...this.opening, ...more], failedAt);
  }
}

/** Each statement is a transaction with the statement that names its tenant: nothing is left open between two of them. */
class TransactionByStatement implements OpenTransaction {
  private readonly client: PoolClient;
  private readonly tenant: QueryConfig;
  private readonly isOneStatement: boolean;
  private readonly pending = new Set<Promise<QueryResult[]>>();
  private isOver = false;
  private failure: Error | null = null;

  constructor(client: PoolClient, tenant: QueryConfig, isOneStatement: boolean) {
    this.client = client;
    this.tenant = tenant;
    this.isOneStatement = isOneStatement;
  }

  async query(statement: QueryConfig): Promise<QueryResult> {
    if (this.isOver) throw new Error('the transaction is over');
    if (this.isOneStatement) this.isOver = true;
    return lastOf(await this.send(statement));
  }

  async commit(): Promise<void> {
    this.isOver = true;
    await this.answers();
    if (this.failure !== null && this.isOneStatement) {
      throw new Error('the statement failed, its error was swallowed, and nothing was committed');
    }
  }

  async rollBack(): Promise<boolean> {
    this.isOver = true;
    await this.answers();
    return true;
  }

  openingFailure(): Error | null {
    return null; // it is that of the statement
  }

  private async send(statement: QueryConfig): Promise<QueryResult[]> {
    const answer = sendJoined(this.client, [this.tenant, statement]);
    this.pending.add(answer);
    try {
      return await answer;
    } catch (error) {
      this.failure = error as Error;
      throw error;
    } finally {
      this.pending.delete(answer);
    }
  }

  /** The next user of the connection finds it at rest. */
  private async answers(): Promise<void> {
    if (this.pending.size > 0) await Promise.allSettled(this.pending);
  }
}

function isPrepared({ name, values }: QueryConfig): boolean {
  return name !== undefined || values !== undefined;
}

function lastOf(results: readonly QueryResult[]): QueryResult {
  const last = results.at(-1);
  if (last === undefined) throw new Error('a statement has no result');
  return last;
}

/** Everything that is sent from here on until the event loop turns leaves in one packet. */
function sendTogether({ connection: { stream } }: PoolClient): void {
  stream.cork();
  process.nextTick(() => stream.uncork());
}
