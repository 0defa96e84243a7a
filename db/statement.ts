import { LRUCache } from 'lru-cache';
import type { BoundStatement } from './round-trip.ts';

/** A statement in PostgreSQL's form: `$1 …` replaces each mark of a value. */
export interface Statement {
  /** Starts with its name as a comment, which logs and pg_stat_statements show. */
  text: string;
  /**
   * Each connection parses and plans the statement once under this name. Null: every time, because there are too many names
   * already.
   */
  name: string | null;
  /** The value for each of `$1`, `$2`, … */
  places: readonly (string | number)[];
}

/** Begins the text of a statement that names a partition: there are a few more of them every day. */
export const OF_PARTITION = '/* of a partition */';

export type Bindings = readonly unknown[] | Readonly<Record<string, unknown>>;

/** Our statements are constants in the code, a few hundred. A larger number means that a statement's text contains values. */
const NAMED_STATEMENTS_MAX = 1_000;

const statements = new Map<string, Statement>();
/** The oldest give way. A connection has what it prepared until its own end, a day after its beginning at most (db/client.ts). */
const ofPartitions = new LRUCache<string, Statement>({ max: 300 });
/** Statements without values, which have no name: none of them takes the place of one that can be prepared. */
const unnamed = new LRUCache<string, Statement>({ max: 1_000 });
/** The number of statements per file: the second one of claim-dispatch.ts is prepared as `claim_dispatch_2`. */
const countOf = new Map<string, number>();

/** The maximum length of a name in PostgreSQL. A longer one is truncated there, and might collide. */
const NAME_CHARACTERS_MAX = 50;
const OPENED_BY = /[\\/]([\w.-]+?)\.[cm]?[jt]s:\d+/;
const NAMES_NOTHING = /[\\/]db[\\/](client|page|statement|transaction)\.[cm]?[jt]s:/;

/**
 * A statement is named after its file, since a file is one operation: db/attempts/dispatches.ts sends `claim_dispatch`. The
 * name is taken from the stack, once for each statement in the life of a process, so that no caller has to repeat it.
 */
function nameOfCaller(): string {
  const frames = (new Error().stack ?? '').split('\n');
  const caller = frames.find((frame) => OPENED_BY.test(frame) && !NAMES_NOTHING.test(frame));
  const file = OPENED_BY.exec(caller ?? '')?.[1] ?? 'statement';
  return file.replaceAll(/[^a-z0-9]+/gi, '_').slice(0, NAME_CHARACTERS_MAX);
}

/** A statement with its values, as it is sent. */
export function boundStatement(sql: string, bindings?: Bindings): BoundStatement {
  const { text, name, places } = statementOf(sql, bindings);
  return { text, name, values: bindings === undefined ? [] : valuesOf({ places }, bindings) };
}

/** `?` and `:name` mark values (`\\?` is a question mark). A name without a binding is left alone, as in `::text`. */
export function statementOf(sql: string, bindings?: Bindings): Statement {
  if (bindings === undefined) return statementWithoutValues(sql);
  const isOfPartition = sql.startsWith(OF_PARTITION);
  const kept = isOfPartition ? ofPartitions : statements;
  const known = kept.get(sql);
  if (known !== undefined) return known;
  const places: (string | number)[] = [];
  const text = Array.isArray(bindings)
    ? sql.replaceAll(/\\\?|\?/g, (found) => (found === '?' ? `$${places.push(places.length)}` : '?'))
    : sql.replaceAll(/:(\w+)/g, (found, name: string) =>
        Object.hasOwn(bindings, name) ? `$${places.push(name)}` : found,
      );
  const name = nameOfCaller();
  const named = `/* ${name} */ ${text}`;
  if (!isOfPartition && statements.size >= NAMED_STATEMENTS_MAX) return { text: named, name: null, places };
  const count = (countOf.get(name) ?? 0) + 1;
  countOf.set(name, count);
  const statement = { text: named, name: count === 1 ? name : `${name}_${count}`, places };
  kept.set(sql, statement);
  return statement;
}

/** The text may contain several statements, which cannot be prepared. */
function statementWithoutValues(sql: string): Statement {
  const statement = unnamed.get(sql) ?? { text: `/* ${nameOfCaller()} */ ${sql}`, name: null, places: [] };
  unnamed.set(sql, statement);
  return statement;
}

/** The values of a statement in its order. Throws where one is missing: PostgreSQL would take it for NULL. */
export function valuesOf(statement: Pick<Statement, 'places'>, bindings: Bindings): unknown[] {
  const byPlace = bindings as Readonly<Record<string | number, unknown>>;
  if (Array.isArray(bindings) && bindings.length !== statement.places.length) {
    throw new Error(`a statement has ${statement.places.length} values, and ${bindings.length} are bound`);
  }
  return statement.places.map((place) => {
    const value = byPlace[place];
    if (value === undefined) throw new Error(`the value ${place} of a statement is undefined`);
    return value;
  });
}
