import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { BoundStatement } from './round-trip.ts';

/**
 * Each connection parses and plans a statement once under its name, which leads the text as a comment, for logs and
 * pg_stat_statements. A name stands once in the code, beside its text, and has that one text. `variantsOf` names a text that is
 * built for each call, from a few that are possible: each is prepared under the name and a digest. Null leaves it unprepared.
 */
export type StatementName = string | { readonly variantsOf: string } | null;

export type Bindings = readonly unknown[] | Readonly<Record<string, unknown>>;

/** A statement in PostgreSQL's form: `$1 …` replaces each mark of a value. */
export interface Statement {
  text: string;
  name: string | null;
  /** The value for each of `$1`, `$2`, … */
  places: readonly (string | number)[];
}

const named = new Map<string, { sql: string; statement: Statement }>();
/** The oldest give way. A connection has what it prepared until its own end, a day after its beginning at most (db/client.ts). */
const variants = new LRUCache<string, Statement>({ max: 1_000 });

/** A statement with its values, as it is sent. */
export function boundStatement(name: StatementName, sql: string, bindings?: Bindings): BoundStatement {
  const statement = statementOf(name, sql, bindings);
  return { text: statement.text, name: statement.name, values: valuesOf(statement, bindings ?? []) };
}

/** @throws where the name has another text already: PostgreSQL would refuse it on the connections that know the first one. */
export function statementOf(name: StatementName, sql: string, bindings?: Bindings): Statement {
  if (name === null) return parse(null, sql, bindings);
  if (typeof name === 'object') return variantOf(name.variantsOf, sql, bindings);
  const known = named.get(name);
  if (known === undefined) {
    const statement = parse({ name, label: name }, sql, bindings);
    named.set(name, { sql, statement });
    return statement;
  }
  if (known.sql === sql) return known.statement;
  throw new Error(
    `the statement ${name} has two texts: give one of them another name, or name a text that is built for each call { variantsOf: '${name}' }`,
  );
}

function variantOf(label: string, sql: string, bindings?: Bindings): Statement {
  const key = `${label} ${sql}`;
  const known = variants.get(key);
  if (known !== undefined) return known;
  const digest = createHash('sha256').update(sql).digest('hex').slice(0, 8);
  const statement = parse({ name: `${label}_${digest}`, label }, sql, bindings);
  variants.set(key, statement);
  return statement;
}

/**
 * `?` and `:name` mark values (`\\?` is a question mark). A name without a binding is left alone, as in `::text`, and a text without
 * bindings as a whole.
 */
function parse(names: { name: string; label: string } | null, sql: string, bindings?: Bindings): Statement {
  const places: (string | number)[] = [];
  const mark = (place: string | number): string => `$${places.push(place)}`;
  let text = sql;
  if (Array.isArray(bindings)) {
    text = sql.replaceAll(/\\\?|\?/g, (found) => (found === '?' ? mark(places.length) : '?'));
  } else if (bindings !== undefined) {
    text = sql.replaceAll(/:(\w+)/g, (found, name: string) => (Object.hasOwn(bindings, name) ? mark(name) : found));
  }
  return { text: names === null ? text : `/* ${names.label} */ ${text}`, name: names?.name ?? null, places };
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
