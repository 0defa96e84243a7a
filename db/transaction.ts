import type { PoolClient } from 'pg';
import { codeOf } from '../domain/failures.ts';
import type { Announcement } from './announcements/announcer.ts';
import { type Answer, type BoundStatement, type Result, sendTogether } from './round-trip.ts';
import { holdStatement, type Scope, scopeStatement, type TransactionOptions } from './scope.ts';

/** SQLSTATE in_failed_sql_transaction. */
const TRANSACTION_ABORTED = '25P02';
/**
 * SQLSTATE warning. Within a commit PostgreSQL has one such message: "canceling wait for synchronous replication due to user
 * request" (SyncRepWaitForLSN). Its text is translated, so the code is compared. A wait that ends with the session loses the answer.
 */
const WARNING = '01000';

const BEGIN = { name: 'begin', text: 'BEGIN', values: [] };
const BEGIN_SNAPSHOT = {
  name: 'begin_snapshot',
  text: 'BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY',
  values: [],
};
const COMMIT = { name: 'commit', text: 'COMMIT', values: [] };
const ROLLBACK = { name: 'rollback', text: 'ROLLBACK', values: [] };

/** Sends statements of the transaction, or none. Null where there is nothing to do. */
export type Step = (() => Promise<unknown>) | null;

/** What the steps answered; null for a step that is null. */
export type Answers<Steps extends readonly Step[]> = {
  -readonly [At in keyof Steps]: Steps[At] extends infer One
    ? One extends () => Promise<infer Answered>
      ? Answered
      : null
    : never;
};

interface Plan {
  /** In front of the first statement; in front of each packet where each is a transaction. */
  opening: readonly BoundStatement[];
  /** `each_packet` is a transaction by itself, which its Sync commits; so is `one_packet`, and it is the only one. */
  lasts: 'until_commit' | 'each_packet' | 'one_packet';
  /** The opening is sent also where the work sends nothing: it holds a credential. */
  mustOpen: boolean;
}

/**
 * What opens a transaction on a connection. Nothing is sent before the first statement, with which the opening travels.
 *
 * @throws where the scope names no id: before a connection is taken.
 */
export function transactionOf(
  scope: Scope,
  options: TransactionOptions & { isOneStatement?: boolean },
): (client: PoolClient) => Transaction {
  const { readOnly, isOneStatement = false, isSnapshot = false, held } = options;
  const tenant = scopeStatement(scope, options);
  if (readOnly === true || isOneStatement) {
    if (held !== undefined) throw new Error('a credential is held by a transaction that writes');
    const lasts = isOneStatement ? 'one_packet' : 'each_packet';
    return (client) => new Transaction(client, { opening: [tenant], lasts, mustOpen: false });
  }
  const opening = [isSnapshot ? BEGIN_SNAPSHOT : BEGIN, tenant, ...(held === undefined ? [] : [holdStatement(held)])];
  return (client) => new Transaction(client, { opening, lasts: 'until_commit', mustOpen: held !== undefined });
}

interface Collected {
  statement: BoundStatement;
  resolve: (result: Result) => void;
  reject: (error: Error) => void;
}

/** One transaction on one connection of the pool. It sends nothing more once `commit` or `rollBack` was called. */
export class Transaction {
  readonly announced: Announcement[] = [];
  /** Why the transaction was not opened. Every later statement fails too, and says less. */
  openingFailure: Error | null = null;
  /** False where the server committed without the standbys that it is to wait for. */
  isReplicated = true;
  /** False where the opening said so: the commit waits for no standby. */
  isSynchronous = true;
  private readonly client: PoolClient;
  private readonly plan: Plan;
  private isOpened = false;
  private isOver = false;
  private isCommitted = false;
  /** The first failure. PostgreSQL refuses every later statement because of it. */
  private failure: Error | null = null;
  private underWay: Promise<unknown> | null = null;
  /** While steps are called: what they send. */
  private collecting: Collected[] | null = null;
  /** From then on until they have all ended. */
  private isInOrder = false;

  constructor(client: PoolClient, plan: Plan) {
    this.client = client;
    this.plan = plan;
  }

  async query(statement: BoundStatement): Promise<Result> {
    const { collecting } = this;
    if (collecting !== null) {
      return new Promise((resolve, reject) => collecting.push({ statement, resolve, reject }));
    }
    if (this.isInOrder) throw new Error(LATE);
    const [result] = await this.send([statement]);
    if (result === undefined) throw new Error('a statement has no result');
    return result;
  }

  /** `isLast`: the COMMIT goes with them. */
  async inOrder<const Steps extends readonly Step[]>(steps: Steps, isLast = false): Promise<Answers<Steps>> {
    if (this.isInOrder) throw new Error(LATE);
    const outer = this.collecting;
    const collected = outer ?? [];
    this.collecting = collected;
    let answers: Promise<unknown>[];
    try {
      answers = steps.map((step) => step?.() ?? Promise.resolve(null));
    } finally {
      this.collecting = outer;
    }
    const all = answersOf(answers) as Promise<Answers<Steps>>;
    if (outer !== null) return all;
    all.catch(() => undefined); // awaited below
    this.isInOrder = true;
    try {
      await this.sendCollected(collected, isLast);
      return await all;
    } finally {
      this.isInOrder = false;
    }
  }

  /** Throws where a statement failed and the work went on regardless. */
  async commit(): Promise<void> {
    const { lasts, mustOpen } = this.plan;
    await this.underWay;
    if (!this.isOpened && mustOpen) await this.send([]);
    this.isOver = true;
    if (this.failure !== null && lasts !== 'each_packet') {
      throw new Error('a statement failed, its error was swallowed, and nothing was committed', {
        cause: this.failure,
      });
    }
    if (lasts !== 'until_commit' || !this.isOpened || this.isCommitted) return;
    const answer = await sendTogether(this.client, [COMMIT]);
    if (answer.failure !== null) throw withStack(answer.failure);
    this.isCommitted = true;
    this.noteWarnings(answer, 0);
  }

  /** Returns false where the transaction could not be ended: then the connection is not to be used again. */
  async rollBack(): Promise<boolean> {
    this.isOver = true;
    // The next user of the connection finds it at rest.
    await this.underWay;
    if (this.plan.lasts !== 'until_commit' || !this.isOpened || this.isCommitted) return true;
    const { failure } = await sendTogether(this.client, [ROLLBACK]);
    return failure === null;
  }

  private async sendCollected(collected: readonly Collected[], isLast: boolean): Promise<void> {
    if (collected.length === 0) return;
    const results: Result[] = [];
    let failure: Error | null = null;
    try {
      await this.send(
        collected.map(({ statement }) => statement),
        { isLast, results },
      );
    } catch (error) {
      failure = error as Error;
    }
    for (const [at, { resolve, reject }] of collected.entries()) {
      const result = results[at];
      if (result !== undefined) resolve(result);
      else reject(failure ?? new Error('a statement has no result'));
    }
    if (failure !== null && results.length >= collected.length) throw failure; // the commit
  }

  /** Returns the result of each; `results` has those in front of one that fails too. */
  private async send(
    statements: readonly BoundStatement[],
    { isLast = false, results = [] }: { isLast?: boolean; results?: Result[] } = {},
  ): Promise<Result[]> {
    // Also of what goes on beside a failure: the connection may be another transaction's by then.
    if (this.isOver) throw new Error('the transaction is over');
    if (this.underWay !== null) throw new Error(AT_ONCE);
    const { opening, lasts } = this.plan;
    const front = lasts === 'until_commit' && this.isOpened ? [] : opening;
    const behind = isLast && lasts === 'until_commit' ? [COMMIT] : [];
    this.isOpened = true;
    this.isOver = lasts === 'one_packet' || isLast;
    const sent = sendTogether(this.client, [...front, ...statements, ...behind]);
    this.underWay = sent.catch(() => undefined);
    try {
      const answer = await sent;
      const opened = answer.results.length >= front.length;
      if (answer.failure !== null) this.noteFailure(answer.failure, !opened);
      if (answer.results.slice(0, front.length).some(({ rows }) => rows[0]?.['isSynchronous'] === false))
        this.isSynchronous = false;
      results.push(...answer.results.slice(front.length, front.length + statements.length));
      if (answer.failure !== null) throw this.failureOf(answer.failure);
      this.noteWarnings(answer, front.length + statements.length);
      this.isCommitted = behind.length > 0;
      return results;
    } catch (error) {
      this.failure ??= error as Error;
      throw error;
    } finally {
      this.underWay = null;
    }
  }

  /** Only what comes behind the statements is of the commit. */
  private noteWarnings({ warnings }: Answer, statements: number): void {
    if (warnings.some(({ code, behind }) => code === WARNING && behind >= statements)) this.isReplicated = false;
  }

  private noteFailure(error: Error, isOfOpening: boolean): void {
    this.failure ??= withStack(error);
    if (isOfOpening) this.openingFailure = this.failure;
  }

  private failureOf(error: Error): Error {
    return codeOf(error) === TRANSACTION_ABORTED && this.failure !== null ? this.failure : withStack(error);
  }
}

/** @throws what the first of them throws, in their order and not in that of time. */
async function answersOf(answers: readonly Promise<unknown>[]): Promise<unknown> {
  const settled = await Promise.allSettled(answers);
  return settled.map((one) => {
    if (one.status === 'rejected') throw one.reason;
    return one.value;
  });
}

const AT_ONCE =
  'a statement of this transaction is under way: await it, or send both by tx.inOrder(() => …, () => …), in one round trip and in the order in which they are written';
const LATE =
  'a step of tx.inOrder sent a statement after its first await: a step sends what it sends before it awaits anything; what needs an answer goes behind tx.inOrder';

/** The stack of what came over the socket leads to the socket; this one leads to the caller. pg does the same. */
function withStack(error: Error): Error {
  Error.captureStackTrace(error);
  return error;
}
