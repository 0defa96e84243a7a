/** What a chart draws, and its table and its file hold. */

export interface Series {
  label: string;
  points: readonly (number | null)[];
}

export interface ChartProps {
  title: string;
  /** The start of each bucket, ISO 8601. */
  starts: readonly string[];
  series: readonly Series[];
  /** How a value reads; by default a count. */
  format?: (value: number) => string;
  /** The name of the file, without its ending. */
  file: string;
}
