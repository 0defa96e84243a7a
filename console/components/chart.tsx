import { lazy, Suspense, useId, useState } from 'react';
import type { ChartProps } from './chart-props.ts';
import { csvOf, download } from './download.ts';
import { countText } from './text.ts';
import { useClock, timeText } from './clock.tsx';

// The library is loaded with the first chart alone.
const Plot = lazy(() => import('./plot.tsx'));

/** A chart, the same numbers as a table, and as a file. */
export function Chart({ title, starts, series, format = countText, file }: ChartProps) {
  const [asTable, setAsTable] = useState(false);
  const headingId = useId();
  const isEmpty = series.every(({ points }) => points.every((point) => point === null || point === 0));
  const save = (): void =>
    download(
      `${file}.csv`,
      csvOf(
        ['start', ...series.map(({ label }) => label)],
        starts.map((start, at) => [start, ...series.map(({ points }) => points[at] ?? null)]),
      ),
      'text/csv',
    );
  return (
    <section className="chart" aria-labelledby={headingId}>
      <div className="chart-heading">
        <h2 id={headingId}>{title}</h2>
        <button type="button" className="link" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
          {asTable ? 'As a chart' : 'As a table'}
        </button>
        <button type="button" className="link" onClick={save}>
          CSV
        </button>
      </div>
      {isEmpty && !asTable ? (
        <p className="quiet">Nothing happened in this time.</p>
      ) : asTable ? (
        <SeriesTable title={title} starts={starts} series={series} format={format} />
      ) : (
        <Suspense fallback={<div className="plot" />}>
          <Plot starts={starts} series={series} format={format} label={title} />
        </Suspense>
      )}
    </section>
  );
}

function SeriesTable({ title, starts, series, format = countText }: Omit<ChartProps, 'file'>) {
  const { isUtc, now } = useClock();
  return (
    // It scrolls inside itself, so that the page does not.
    <div className="scroll" tabIndex={0} role="region" aria-label={`${title}, as a table`}>
      <table className="numbers">
        <thead>
          <tr>
            <th scope="col">From</th>
            {series.map(({ label }) => (
              <th key={label} scope="col">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {starts.map((start, at) => (
            <tr key={start}>
              <th scope="row">{timeText(new Date(start), isUtc, now)}</th>
              {series.map(({ label, points }) => {
                const point = points[at];
                return <td key={label}>{point === null || point === undefined ? '–' : format(point)}</td>;
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
