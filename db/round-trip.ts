import { type Connection, type FieldDef, type PoolClient, type Submittable, types } from 'pg';
import { serialize } from 'pg-protocol';
import { wireValue } from './wire-value.ts';

/** A statement as PostgreSQL takes it: `$1 …` are the values. */
export interface BoundStatement {
  /** Each connection parses and plans the statement once under this name. Null parses and plans it at each call. */
  name: string | null;
  text: string;
  values: readonly unknown[];
}

export interface Result {
  rows: Record<string, unknown>[];
  rowCount: number;
}

export interface Answer {
  /** One for each statement; where one failed, for each before it. */
  results: Result[];
  failure: Error | null;
  /** What the server warned of, beside its answers. */
  warnings: readonly Warning[];
}

export interface Warning {
  code: string | undefined;
  /** The number of statements that were answered before it. */
  behind: number;
}

interface ConnectionState {
  /** What the connection knows about a name: the statement is prepared, or it failed when it was to be. */
  names: Map<string, 'prepared' | 'in_doubt'>;
  /** The one that is being answered. */
  underWay: RoundTrip | null;
}

const states = new WeakMap<PoolClient, ConnectionState>();

function stateOf(client: PoolClient): ConnectionState {
  const known = states.get(client);
  if (known !== undefined) return known;
  const state: ConnectionState = { names: new Map(), underWay: null };
  states.set(client, state);
  // pg hands notices to the connection's listeners, and not to what it executes.
  client.on('notice', ({ code }) => state.underWay?.handleNotice(code));
  return state;
}

/**
 * Sends statements as one packet with one Sync behind the last: they take one round trip, and PostgreSQL answers them with one
 * write. After one that fails the others are not run. Outside a transaction they are one, which the Sync commits. Source:
 * PostgreSQL, "Message Flow", Pipelining.
 *
 * pg's own `pipeline` sends a Sync with each statement and PostgreSQL answers each with a write (docs/performance-http.md has what
 * that costs). So this is a query of our own, as pg-cursor is one: pg hands the connection to any object that has `submit`, and
 * the answers to its `handle…` methods.
 *
 * The connection answers nothing else meanwhile. A failure is an answer; what cannot be sent throws.
 */
export async function sendTogether(client: PoolClient, statements: readonly BoundStatement[]): Promise<Answer> {
  const state = stateOf(client);
  const known = state.names;
  const packet = packetOf(statements, known);
  const answer = await new Promise<Answer>((resolve) => {
    state.underWay = new RoundTrip(packet, resolve);
    client.query(state.underWay);
  });
  state.underWay = null;
  // A name is in doubt where its statement failed: before it was prepared, or after. So is one behind it, which PostgreSQL never read:
  // a pooler has taken note of it.
  for (const [at, { name }] of statements.entries()) {
    if (name === null || known.get(name) === 'prepared') continue;
    known.set(name, at < answer.results.length ? 'prepared' : 'in_doubt');
  }
  return answer;
}

function packetOf(statements: readonly BoundStatement[], known: ReadonlyMap<string, 'prepared' | 'in_doubt'>): Buffer {
  const parsed = new Set<string>();
  const messages = statements.flatMap(({ name, text, values }) => {
    const statement = name ?? '';
    const parts: Buffer[] = [];
    if (name === null || (known.get(name) !== 'prepared' && !parsed.has(name))) {
      // Closing a statement that is not there is no error.
      if (name !== null && known.get(name) === 'in_doubt') parts.push(serialize.close({ type: 'S', name }));
      parts.push(serialize.parse({ name: statement, text }));
      parsed.add(statement);
    }
    parts.push(serialize.bind({ statement, values: values.map(wireValue) }));
    parts.push(serialize.describe({ type: 'P' }), serialize.execute());
    return parts;
  });
  return Buffer.concat([...messages, serialize.sync()]);
}

/** pg calls `handleError` instead of `handleReadyForQuery` where a statement or the connection failed. */
class RoundTrip implements Submittable {
  private readonly packet: Buffer;
  private readonly settle: (answer: Answer) => void;
  private readonly results: Result[] = [];
  private readonly warnings: Warning[] = [];
  private columns: { name: string; read: (value: string) => unknown }[] = [];
  private rows: Record<string, unknown>[] = [];
  /** A row that could not be read. */
  private unreadable: Error | null = null;

  constructor(packet: Buffer, settle: (answer: Answer) => void) {
    this.packet = packet;
    this.settle = settle;
  }

  submit(connection: Connection): void {
    connection.stream.write(this.packet);
  }

  handleRowDescription({ fields }: { fields: FieldDef[] }): void {
    this.columns = fields.map(({ name, dataTypeID }) => ({ name, read: types.getTypeParser(dataTypeID, 'text') }));
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    const row: Record<string, unknown> = {};
    try {
      this.columns.forEach(({ name, read }, at) => {
        const value = fields[at] ?? null;
        row[name] = value === null ? null : read(value);
      });
    } catch (error) {
      this.unreadable ??= error as Error;
    }
    this.rows.push(row);
  }

  /** `text`: the command and its count, as in `INSERT 0 1`. */
  handleCommandComplete({ text }: { text: string }): void {
    this.results.push({ rows: this.rows, rowCount: Number(/\d+$/.exec(text)?.[0] ?? 0) });
    this.rows = [];
    this.columns = [];
  }

  handleEmptyQuery(): void {
    this.handleCommandComplete({ text: '' });
  }

  handleNotice(code: string | undefined): void {
    this.warnings.push({ code, behind: this.results.length });
  }

  handleError(failure: Error): void {
    this.settle({ results: this.results, failure, warnings: this.warnings });
  }

  handleReadyForQuery(): void {
    this.settle({ results: this.results, failure: this.unreadable, warnings: this.warnings });
  }
}
