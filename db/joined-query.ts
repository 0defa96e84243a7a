import { type Connection, type PoolClient, Query, type QueryConfig, type QueryResult, types } from 'pg';

/** What pg's own client calls on its queries, and keeps on its connections; @types/pg leaves it out. */
interface Handlers {
  /** An error: the statement was not sent. */
  submit: (connection: Connection) => Error | null;
  callback: (error: Error | null, result?: QueryResult) => void;
  name?: string;
  text: string;
  _result: { _types: typeof types };
  handleRowDescription(message: object): void;
  handleDataRow(message: object): void;
  handleCommandComplete(message: object, connection: Connection): void;
  handleEmptyQuery(connection: Connection): void;
  handleReadyForQuery(connection: Connection): void;
}
type Part = Omit<Query, 'submit'> & Handlers;
interface Prepared {
  parsedStatements: Record<string, string>;
  submittedNamedStatements: Record<string, string>;
}

/**
 * Statements that are sent with one Sync behind the last: they take one round trip, and PostgreSQL answers them with one write.
 * Outside a transaction they are one transaction, which the Sync commits; a statement that fails undoes those before it, and
 * those after it are not run. Source: PostgreSQL, "Message Flow", Pipelining. pg has no call for it: it sends a Sync with each
 * statement, and PostgreSQL answers each with a write of its own, which cost more than the statements themselves.
 *
 * A statement in front of another one may set what the other one reads, as the tenant.
 */
export async function sendJoined(
  client: PoolClient,
  statements: readonly QueryConfig[],
  /** Told which of them failed, from 0. */
  failedAt: (index: number, error: Error) => void = () => undefined,
): Promise<QueryResult[]> {
  const settled = new Promise<QueryResult[]>((resolve, reject) => {
    client.query(
      new JoinedQuery(statements, resolve, (error, index) => {
        failedAt(index, error);
        reject(error);
      }),
    );
  });
  try {
    return await settled;
  } catch (error) {
    // The stack of what came over the socket leads to the socket; this one leads to the caller. pg does the same.
    if (error instanceof Error) Error.captureStackTrace(error);
    throw error;
  }
}

/** One query for pg's client, which hands each message on to the statement that it is about. A Query, since pg pipelines no other. */
class JoinedQuery extends Query {
  private readonly parts: Part[];
  /** What this connection had not prepared before. */
  private firsts: Part[] = [];
  private readonly results: QueryResult[] = [];
  private at = 0;
  /** A value that cannot be sent. */
  private unsent: Error | null = null;
  private readonly resolve: (results: QueryResult[]) => void;
  private readonly reject: (error: Error, index: number) => void;

  constructor(
    statements: readonly QueryConfig[],
    resolve: (results: QueryResult[]) => void,
    reject: (error: Error, index: number) => void,
  ) {
    super({ text: '' });
    this.resolve = resolve;
    this.reject = reject;
    this.parts = statements.map((statement) => {
      const part = new Query({ ...statement, queryMode: 'extended' } as QueryConfig) as Part;
      part._result._types = types;
      part.callback = (error, result) => {
        if (error !== null) this.unsent = error;
        else if (result !== undefined) this.results.push(result);
      };
      return part;
    });
  }

  override submit = (connection: Connection): null => {
    const { parsedStatements, submittedNamedStatements } = connection as Connection & Prepared;
    this.firsts = this.parts.filter(
      ({ name }) =>
        name !== undefined && parsedStatements[name] === undefined && submittedNamedStatements[name] === undefined,
    );
    const withoutSync = Object.create(connection, { sync: { value: () => undefined } }) as Connection;
    connection.stream.cork();
    for (const part of this.parts) {
      const refusal = part.submit(withoutSync);
      this.unsent ??= refusal;
    }
    connection.sync();
    connection.stream.uncork();
    return null;
  };

  handleRowDescription(message: object): void {
    this.parts[this.at]?.handleRowDescription(message);
  }

  handleDataRow(message: object): void {
    this.parts[this.at]?.handleDataRow(message);
  }

  handleCommandComplete(message: object, connection: Connection): void {
    this.parts[this.at]?.handleCommandComplete(message, connection);
    this.at += 1;
  }

  handleEmptyQuery(connection: Connection): void {
    this.parts[this.at]?.handleEmptyQuery(connection);
    this.at += 1;
  }

  handleReadyForQuery(connection: Connection): void {
    if (this.unsent !== null) return this.handleError(this.unsent, connection);
    const { parsedStatements, submittedNamedStatements } = connection as Connection & Prepared;
    for (const { name = '', text } of this.firsts) {
      parsedStatements[name] = text;
      delete submittedNamedStatements[name];
    }
    for (const part of this.parts) part.handleReadyForQuery(connection);
    if (this.unsent !== null)
      this.reject(this.unsent, this.at); // a row that could not be read
    else this.resolve(this.results);
  }

  /**
   * PostgreSQL skips the statements after a failure, so it is not known which of them it has prepared. They are closed, which is no error
   * for one that is not there, and the next use prepares them again.
   */
  handleError(error: Error, connection: Connection): void {
    const { parsedStatements, submittedNamedStatements } = connection as Connection & Prepared;
    for (const { name = '' } of this.firsts) {
      if (connection.stream.writable) connection.close({ type: 'S', name }, true);
      delete parsedStatements[name];
      delete submittedNamedStatements[name];
    }
    this.firsts = [];
    this.reject(error, this.at);
  }
}
