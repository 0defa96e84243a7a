/** A statement as PostgreSQL takes it: `$1 …` in place of what stood for a value. */
export interface Statement {
  text: string;
  /** Each connection parses and plans it once under this name; null: once and again (there are too many already). */
  name: string | null;
  /** Which of the values stands at `$1`, `$2`, … */
  places: readonly (string | number)[];
}

export type Bindings = readonly unknown[] | Readonly<Record<string, unknown>>;

/** Our statements are constants of the code, some hundred. More than this means that one is put together from values. */
const NAMED_STATEMENTS_MAX = 1_000;

const statements = new Map<string, Statement>();

/** `?` and `:name` stand for values (`\\?` for a question mark); a name that is not bound is left alone, as in `::text`. */
export function statementOf(sql: string, bindings: Bindings): Statement {
  const known = statements.get(sql);
  if (known !== undefined) return known;
  const places: (string | number)[] = [];
  const text = Array.isArray(bindings)
    ? sql.replaceAll(/\\\?|\?/g, (found) => (found === '?' ? `$${places.push(places.length)}` : '?'))
    : sql.replaceAll(/:(\w+)/g, (found, name: string) =>
        Object.hasOwn(bindings, name) ? `$${places.push(name)}` : found,
      );
  if (statements.size >= NAMED_STATEMENTS_MAX) return { text, name: null, places };
  const statement = { text, name: `s${statements.size + 1}`, places };
  statements.set(sql, statement);
  return statement;
}

/** The values of a statement in its order. Throws where one is missing: PostgreSQL would take it for NULL. */
export function valuesOf(statement: Statement, bindings: Bindings): unknown[] {
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
