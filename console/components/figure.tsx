import { type ReactNode, useId, useState } from 'react';
import { csvOf, download } from './download.ts';

export interface Csv {
  /** Name of the file, without its ending. */
  file: string;
  header: readonly string[];
  rows: () => readonly (readonly (string | number | null)[])[];
}

export interface FigureProps {
  title: string;
  isEmpty: boolean;
  csv: Csv;
  /** The same numbers, for those who read tables. */
  table: () => ReactNode;
  /** The picture. */
  children: ReactNode;
}

/** A picture of numbers, the same numbers as a table, and as a file. */
export function Figure({ title, isEmpty, csv, table, children }: FigureProps) {
  const [asTable, setAsTable] = useState(false);
  const headingId = useId();
  return (
    <section className="chart" aria-labelledby={headingId}>
      <div className="chart-heading">
        <h3 id={headingId}>{title}</h3>
        <button type="button" className="link" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
          {asTable ? 'As a chart' : 'As a table'}
        </button>
        <button
          type="button"
          className="link"
          onClick={() => download(`${csv.file}.csv`, csvOf(csv.header, csv.rows()), 'text/csv')}
        >
          CSV
        </button>
      </div>
      {asTable ? (
        // It scrolls inside itself, so that the page does not.
        <div className="scroll" tabIndex={0} role="region" aria-label={`${title}, as a table`}>
          {table()}
        </div>
      ) : isEmpty ? (
        <p className="quiet">Nothing happened in this time.</p>
      ) : (
        children
      )}
    </section>
  );
}
