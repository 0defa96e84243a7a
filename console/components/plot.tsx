import { useEffect, useRef } from 'react';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { useClock } from './clock.tsx';
import type { ChartProps } from './chart-props.ts';
import { useIsDark } from './theme.ts';

const HEIGHT = 180;
/** As everywhere in the console: 24 hours, and the month by its name. What the larger unit is stands where it changes. */
const MOMENTS: UPlot.Axis.Values = [
  [86_400 * 28, '{MMM} {YYYY}', null, null, null, null, null, null, 1],
  [86_400, '{D} {MMM}', '\n{YYYY}', null, null, null, null, null, 1],
  [60, '{HH}:{mm}', '\n{D} {MMM}', null, '\n{D} {MMM}', null, null, null, 1],
  [1, '{HH}:{mm}:{ss}', '\n{D} {MMM}', null, '\n{D} {MMM}', null, null, null, 1],
];
const ALONE_SECONDS = 1_800;
/** Differ in lightness as well as in hue; the legend names them, so that colour is never alone. */
const STROKES = ['--link', '--good', '--mark', '--bad', '--quiet', '--line'];
/** States keep their colours: what failed is never green. */
const OF_STATES: Readonly<Record<string, string>> = {
  Succeeded: '--good',
  Confirmed: '--good',
  Delivered: '--good',
  Failed: '--bad',
  Cancelled: '--quiet',
  Unknown: '--mark',
};
const DASHES = [[], [6, 3], [2, 3], [8, 3, 2, 3]];

function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

type PlotProps = Required<Pick<ChartProps, 'starts' | 'series' | 'format'>> & { label: string };

/** Lines over time. The canvas is a picture to a screen reader: the table has its numbers. */
export default function Plot({ starts, series, format, label }: PlotProps) {
  const place = useRef<HTMLDivElement>(null);
  const { isUtc } = useClock();
  const isDark = useIsDark();
  useEffect(() => {
    const target = place.current;
    if (target === null) return undefined;
    const data: UPlot.AlignedData = [
      starts.map((start) => Date.parse(start) / 1_000),
      ...series.map(({ points }) => [...points]),
    ];
    const plot = new UPlot(
      optionsOf({ series, format, isUtc, width: target.clientWidth, isAlone: starts.length === 1 }),
      data,
      target,
    );
    const watch = new ResizeObserver(() => plot.setSize({ width: target.clientWidth, height: HEIGHT }));
    watch.observe(target);
    return () => {
      watch.disconnect();
      plot.destroy();
    };
  }, [starts, series, format, isUtc, isDark]);
  return (
    <div className="plot" ref={place} role="img" aria-label={`${label}: a chart. The table has the same numbers.`} />
  );
}

function optionsOf({
  series,
  format,
  isUtc,
  width,
  isAlone,
}: Pick<PlotProps, 'series' | 'format'> & { isUtc: boolean; width: number; isAlone: boolean }): UPlot.Options {
  const axis = { stroke: colour('--quiet'), grid: { stroke: colour('--hair'), width: 1 }, ticks: { show: false } };
  return {
    width,
    height: HEIGHT,
    cursor: { drag: { x: false, y: false } },
    legend: { live: false },
    scales: {
      // uPlot would show one moment alone among years.
      x: { range: (_, from, to) => (isAlone ? [from - ALONE_SECONDS, from + ALONE_SECONDS] : [from, to]) },
      y: { range: (_, __, max) => [0, Math.max(1, max * 1.1)] },
    },
    axes: [
      { ...axis, values: MOMENTS },
      { ...axis, size: 72, values: (_, splits) => splits.map((split) => format(split)) },
    ],
    ...(isUtc ? { tzDate: (seconds: number) => UPlot.tzDate(new Date(seconds * 1_000), 'Etc/UTC') } : {}),
    series: [
      { label: 'From' },
      ...series.map(({ label }, at) => ({
        label,
        stroke: colour(OF_STATES[label] ?? STROKES[at % STROKES.length] ?? '--link'),
        dash: DASHES[Math.floor(at / STROKES.length) % DASHES.length] ?? [],
        width: 2,
        points: { size: 4 },
        value: (_: UPlot, value: number | null) => (value === null ? '–' : format(value)),
      })),
    ],
  };
}
