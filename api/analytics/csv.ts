import { stringify } from 'csv-stringify/sync';

/** Paths of the members that become columns, such as `runs.started`, in order. */
export type Columns = readonly string[];

export function percentileColumns(member: string): Columns {
  return ['p50', 'p95', 'p99', 'max', 'count'].map((name) => `${member}.${name}`);
}

/**
 * RFC 4180 with a header. A list is one cell with spaces between its items; null is empty. A text that a spreadsheet would read as a
 * formula gets a leading apostrophe (OWASP, "CSV Injection").
 */
export function csvOf(columns: Columns, records: readonly object[]): string {
  const rows = records.map((record) => columns.map((column) => cellOf(at(record, column))));
  return stringify([columns, ...rows], { escape_formulas: true, record_delimiter: 'windows' });
}

function at(record: object, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (found, name) => (typeof found === 'object' && found !== null ? Reflect.get(found, name) : null),
      record,
    );
}

function cellOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return value.map(cellOf).join(' ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
