import { divideDown, secondsBetween, wholeNumber } from './exact.ts';
import { dayOf } from './periods.ts';

export const HISTORY_DAYS_MAX = 400;
/** Without a range: today and the 29 days before. */
const HISTORY_DAYS_DEFAULT = 30;
const DAY_MS = 86_400_000;
const DAY_SECONDS = 86_400n;

/** A range of UTC days, both included, as `YYYY-MM-DD`. */
export interface DayRange {
  from: string;
  to: string;
}

export interface RangeIssue {
  name: 'from' | 'to';
  message: string;
}

/**
 * The days that a history shows. A range that begins before the workspace is cut to it, and one that ends in the future ends today.
 * Returns an issue for a reversed range, one longer than 400 days, and one that lies wholly before the workspace or after today.
 */
export function historyRange(
  asked: Partial<DayRange>,
  { now, workspaceSince }: { now: Date; workspaceSince: Date },
): DayRange | RangeIssue {
  const today = dayOf(now);
  const first = dayOf(workspaceSince);
  const to = asked.to ?? today;
  const from = asked.from ?? addDays(to, 1 - HISTORY_DAYS_DEFAULT);
  if (from > to) return { name: 'from', message: `must not be after to (${to})` };
  const days = wholeNumber(divideDown(secondsBetween(new Date(from), new Date(to)), DAY_SECONDS)) + 1;
  if (days > HISTORY_DAYS_MAX)
    return { name: 'from', message: `is ${days} days from to: a range has at most ${HISTORY_DAYS_MAX}` };
  if (to < first) return { name: 'to', message: `is before the workspace was made (${first})` };
  if (from > today) return { name: 'from', message: `is after today (${today}, UTC)` };
  return { from: from < first ? first : from, to: to > today ? today : to };
}

export function isRangeIssue(range: DayRange | RangeIssue): range is RangeIssue {
  return 'message' in range;
}

/** Sums the counted members of days that are ordered, for each month, the oldest first. */
export function monthsOf<Counts extends Record<string, number>>(
  days: readonly { date: string; counts: Counts }[],
): { month: string; counts: Counts }[] {
  const months = new Map<string, { date: string; counts: Counts }[]>();
  for (const day of days) {
    const month = day.date.slice(0, 'YYYY-MM'.length);
    months.set(month, [...(months.get(month) ?? []), day]);
  }
  return [...months].map(([month, of]) => ({ month, counts: sumOf(of.map(({ counts }) => counts)) }));
}

/** Sums records of the same members. There is at least one. */
export function sumOf<Counts extends Record<string, number>>(records: readonly Counts[]): Counts {
  const [first, ...rest] = records;
  if (first === undefined) throw new Error('a sum is of at least one record');
  const names = Object.keys(first);
  return rest.reduce(
    (sum, record) => Object.fromEntries(names.map((name) => [name, (sum[name] ?? 0) + (record[name] ?? 0)])) as Counts,
    first,
  );
}

function addDays(day: string, days: number): string {
  return dayOf(new Date(Date.parse(day) + days * DAY_MS));
}
