/** A statement as PostgreSQL takes it: `$1 …` in place of what stood for a value. */
export interface Statement {
  /** Begins with its name as a comment, which logs and pg_stat_statements show. */
  text: string;
  /** Each connection parses and plans it once under this name; null: once and again (there are too many already). */
  name: string | null;
  /** The value at each of `$1`, `$2`, … */
  places: readonly (string | number)[];
}

export type Bindings = readonly unknown[] | Readonly<Record<string, unknown>>;

/** Our statements are constants of the code, some hundred. More than this means that one is put together from values. */
const NAMED_STATEMENTS_MAX = 1_000;

const statements = new Map<string, Statement>();
/** How many statements a file has: the second of claim-dispatch.ts is prepared as `claim_dispatch_2`. */
const countOf = new Map<string, number>();

/** The maximum length of a name in PostgreSQL. A longer one is truncated there, and might collide. */
const NAME_CHARACTERS_MAX = 50;
const OPENED_BY = /[\\/]([\w.-]+?)\.[cm]?[jt]s:\d+/;
const NAMES_NOTHING = /[\\/]db[\\/](client|statement)\.[cm]?[jt]s:/;

/**
 * A statement is named after its file, since a file is one operation: db/attempts/claim-dispatch.ts sends `claim_dispatch`.
 * The name is read off the stack, once for each statement in the life of a process, so that no call has to repeat it.
 */
function nameOfCaller(): string {
  const frames = (new Error().stack ?? '').split('\n');
  const caller = frames.find((frame) => OPENED_BY.test(frame) && !NAMES_NOTHING.test(frame));
  const file = OPENED_BY.exec(caller ?? '')?.[1] ?? 'statement';
  return file.replaceAll(/[^a-z0-9]+/gi, '_').slice(0, NAME_CHARACTERS_MAX);
}

/** `?` and `:name` stand for values (`\\?` for a question mark); a name that is not bound is left alone, as in `::text`. */
export function statementOf(sql: string, bindings?: Bindings): Statement {
  const known = statements.get(sql);
  if (known !== undefined) return known;
  const places: (string | number)[] = [];
  if (bindings === undefined) {
    // It may be several statements in one text, which cannot be prepared; nothing in it stands for a value.
    const statement = { text: `/* ${nameOfCaller()} */ ${sql}`, name: null, places };
    if (statements.size < NAMED_STATEMENTS_MAX) statements.set(sql, statement);
    return statement;
  }
  const text = Array.isArray(bindings)
    ? sql.replaceAll(/\\\?|\?/g, (found) => (found === '?' ? `$${places.push(places.length)}` : '?'))
    : sql.replaceAll(/:(\w+)/g, (found, name: string) =>
        Object.hasOwn(bindings, name) ? `$${places.push(name)}` : found,
      );
  const name = nameOfCaller();
  const named = `/* ${name} */ ${text}`;
  if (statements.size >= NAMED_STATEMENTS_MAX) return { text: named, name: null, places };
  const count = (countOf.get(name) ?? 0) + 1;
  countOf.set(name, count);
  const statement = { text: named, name: count === 1 ? name : `${name}_${count}`, places };
  statements.set(sql, statement);
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
