import type { ScopedTransaction } from './client.ts';
import type { StatementName } from './statement.ts';

/** The part of a list that is asked for. */
export interface Range {
  limit: number;
  offset: number;
}

export interface Page<Item> {
  items: Item[];
  /** How many the whole list has. */
  total: number;
}

/** With each value that the SQL names. */
type Asked<Part> = Part | (Part & Record<string, unknown>);

/** The SQL of rows that are picked by their order. It is of this code, never of a caller; `:name` marks a value. */
interface Rows {
  /** `{ variantsOf }` where the text is built for each call. The count of a list is named after it. */
  name: Exclude<StatementName, null>;
  columns: string;
  /** What is picked. With `joins`, its last word is the alias that the columns and the order use, as in `messages m`. */
  from: string;
  /** Joined to the picked rows alone. Such a join neither removes a row nor repeats one. */
  joins?: string;
}

export interface List extends Rows {
  where?: string;
  /** The condition for each value that may be left out; it is in the text either way, which is prepared once. */
  filters?: Readonly<Record<string, string>>;
  /** Ends with what no two rows share, so that no row is on two pages. */
  order: string;
  asked: Asked<Range>;
}

/** One page of a list, with the number of rows in the whole list. */
export async function pageOf<Row>(tx: ScopedTransaction, list: List): Promise<Page<Row>> {
  const [counted, items] = await tx.inOrder(
    () =>
      tx.raw<{ rows: { total: number }[] }>(
        totalOf(list.name),
        `SELECT count(*)::int AS total ${matchesOf(list)}`,
        valuesOf(list),
      ),
    () => itemsOf<Row>(tx, list),
  );
  return { items, total: counted.rows[0]?.total ?? 0 };
}

/** The rows of one page, for a list that counts in its own way. */
export async function itemsOf<Row>(tx: ScopedTransaction, list: List): Promise<Row[]> {
  const sql = rowsOf(list, matchesOf(list), `ORDER BY ${list.order}`, 'OFFSET :offset');
  return tx.rows<Row>(list.name, sql, valuesOf(list));
}

function matchesOf({ from, where, filters = {} }: List): string {
  const optional = Object.entries(filters).map(
    ([name, condition]) => `(CAST(:${name} AS text) IS NULL OR ${condition})`,
  );
  const conditions = [...(where === undefined ? [] : [where]), ...optional];
  return `FROM ${from}${conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`}`;
}

function valuesOf({ filters = {}, asked }: List): Record<string, unknown> {
  return { ...Object.fromEntries(Object.keys(filters).map((name) => [name, null])), ...definedOf(asked) };
}

export interface Walk extends Rows {
  where: string;
  /** The column in whose order the rows are walked. No two rows share its value, which is a text. */
  key: string;
  asked: Asked<{ after: string; limit: number }>;
}

/** The next rows of a walk over many: those behind `after`, which is the empty string at first. */
export async function rowsAfter<Row>(tx: ScopedTransaction, walk: Walk): Promise<Row[]> {
  const picked = `FROM ${walk.from} WHERE ${walk.where} AND ${walk.key} > :after`;
  return tx.rows<Row>(walk.name, rowsOf(walk, picked, `ORDER BY ${walk.key}`), definedOf(walk.asked));
}

function rowsOf({ columns, from, joins }: Rows, picked: string, order: string, offset = ''): string {
  const limited = `${picked} ${order} LIMIT :limit ${offset}`;
  if (joins === undefined) return `SELECT ${columns} ${limited}`;
  const alias = from.split(' ').at(-1);
  return `SELECT ${columns} FROM (SELECT ${alias}.* ${limited}) ${alias} ${joins} ${order}`;
}

function totalOf(name: List['name']): StatementName {
  return typeof name === 'string' ? `${name}_total` : { variantsOf: `${name.variantsOf}_total` };
}

function definedOf(values: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/**
 * The conditions of the values that are given, and no others: the planner sees which index serves them. For the largest tables, in place
 * of `filters`.
 */
export function conditionsFor(conditions: Readonly<Record<string, string>>, values: object): string[] {
  const given = definedOf(values);
  return Object.entries(conditions).flatMap(([name, condition]) => (Object.hasOwn(given, name) ? [condition] : []));
}
