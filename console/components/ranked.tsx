import type { ReactNode } from 'react';
import { Figure } from './figure.tsx';
import { type Column, Table } from './list.tsx';
import { countText } from './text.ts';

export interface RankedProps<Row> {
  title: string;
  file: string;
  rows: readonly Row[];
  idOf: (row: Row) => string;
  /** What the bar of a row is called, and how long it is. */
  label: (row: Row) => ReactNode;
  value: (row: Row) => number;
  /** How the value reads; by default a count. */
  words?: (row: Row) => string;
  /** The value of a full bar; by default the largest. */
  full?: number;
  columns: readonly Column<Row>[];
  csv: { header: readonly string[]; line: (row: Row) => (string | number | null)[] };
}

const WHOLE = 100;

/** What has names rather than times, as bars. */
export function Ranked<Row>({ title, file, rows, idOf, label, value, words, full, columns, csv }: RankedProps<Row>) {
  const most = full ?? Math.max(1, ...rows.map(value));
  return (
    <Figure
      title={title}
      isEmpty={rows.length === 0}
      csv={{ file, header: csv.header, rows: () => rows.map(csv.line) }}
      table={() => <Table label={title} rows={rows} columns={columns} idOf={idOf} nothing="Nothing in this time." />}
    >
      <ul className="ranks">
        {rows.map((row) => (
          <li key={idOf(row)}>
            <span className="rank-name">{label(row)}</span>
            <span className="rank-value">{words?.(row) ?? countText(value(row))}</span>
            <span className="rank-bar" aria-hidden="true">
              <span style={{ width: `${Math.min(1, value(row) / most) * WHOLE}%` }} />
            </span>
          </li>
        ))}
      </ul>
    </Figure>
  );
}
