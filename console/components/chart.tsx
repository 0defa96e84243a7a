import { lazy, Suspense } from 'react';
import type { ChartProps } from './chart-props.ts';
import { Figure } from './figure.tsx';
import { countText } from './text.ts';
import { useClock, timeText } from './clock.tsx';

// The library is loaded with the first chart alone.
const Plot = lazy(() => import('./plot.tsx'));

/** Lines over time. */
export function Chart({ title, starts, series, format = countText, file }: ChartProps) {
  return (
    <Figure
      title={title}
      isEmpty={series.every(({ points }) => points.every((point) => point === null || point === 0))}
      csv={{
        file,
        header: ['start', ...series.map(({ label }) => label)],
        rows: () => starts.map((start, at) => [start, ...series.map(({ points }) => points[at] ?? null)]),
      }}
      table={() => <SeriesTable starts={starts} series={series} format={format} />}
    >
      <Suspense fallback={<div className="plot" />}>
        <Plot starts={starts} series={series} format={format} label={title} />
      </Suspense>
    </Figure>
  );
}

function SeriesTable({ starts, series, format = countText }: Pick<ChartProps, 'starts' | 'series' | 'format'>) {
  const { isUtc, now } = useClock();
  return (
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
  );
}
