/**
 * Renders the columns of a record as a SELECT list: `{ createdAt: 'actions.created_at' }` gives `actions.created_at AS
 * "createdAt"`.
 */
export function selected(columns: Readonly<Record<string, string>>): string {
  return Object.entries(columns)
    .map(([name, column]) => `${column} AS "${name}"`)
    .join(', ');
}

/** The maximum size of a list record's member in JSON; a larger one is shortened. `GET` of the one record returns it whole. */
export const LISTED_MEMBER_BYTES_MAX = 4_096;

/** Replaces a member that is too large. SQL makes it (migration 0022), so that large values are not read. */
export interface Shortened {
  truncated: true;
  /** The size of the JSON text. */
  bytes: number;
  /** The first characters of the JSON text. */
  preview: string;
}

/** A JSON column, shortened where it is large. */
export function shortenedColumn(column: string): string {
  return `shortened(${column}, ${LISTED_MEMBER_BYTES_MAX})`;
}

/** The columns of a statement, of which those of the table `alias` with these names are shortened. */
export function withShortened(columns: string, alias: string, names: readonly string[]): string {
  return names.reduce((listed, name) => {
    const column = `${alias}.${name}`;
    const shown = new RegExp(`(?<=^|\\s)${alias}\\.${name}(?=,|$)`);
    if (!shown.test(listed)) throw new Error(`there is no column ${column} to shorten`);
    return listed.replace(shown, `${shortenedColumn(column)} AS ${name}`);
  }, columns);
}
