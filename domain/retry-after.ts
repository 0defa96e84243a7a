const MS_PER_SECOND = 1_000;
const YEARS_AHEAD_MAX = 50;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const MONTH = `(?<month>${MONTHS.join('|')})`;
const TIME = String.raw`(?<hour>[01]\d|2[0-3]):(?<minute>[0-5]\d):(?<second>[0-5]\d|60)`;
const SHORT_DAY = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)';
/** The three forms of an HTTP date (RFC 9110, 5.6.7): IMF-fixdate, that of RFC 850, and that of C's asctime. `Date.parse` takes far more. */
const HTTP_DATES = [
  new RegExp(String.raw`^${SHORT_DAY}, (?<day>\d{2}) ${MONTH} (?<year>\d{4}) ${TIME} GMT$`),
  new RegExp(
    String.raw`^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (?<day>\d{2})-${MONTH}-(?<year>\d{2}) ${TIME} GMT$`,
  ),
  new RegExp(String.raw`^${SHORT_DAY} ${MONTH} (?<day>\d{2}| \d) ${TIME} (?<year>\d{4})$`),
];

/** Milliseconds from `nowMs` (RFC 9110, 10.2.3, and chat systems' fractions). 0 for the past; null for neither form. */
export function retryAfterMs(value: string, nowMs: number): number | null {
  const text = value.trim();
  if (/^\d{1,15}(\.\d{1,9})?$/.test(text)) return Number(text) * MS_PER_SECOND;
  const atMs = httpDateMs(text, nowMs);
  return atMs === null ? null : Math.max(0, atMs - nowMs);
}

function httpDateMs(text: string, nowMs: number): number | null {
  for (const form of HTTP_DATES) {
    const found = form.exec(text)?.groups;
    if (found !== undefined) return timeOf(found, nowMs);
  }
  return null;
}

/** Null for a day that its month does not have. */
function timeOf(parts: Record<string, string>, nowMs: number): number | null {
  const { year = '', month = '', day = '', hour, minute, second } = parts;
  const at = (inYear: number): Date => {
    const date = new Date(0);
    date.setUTCFullYear(inYear, MONTHS.indexOf(month), Number(day));
    date.setUTCHours(Number(hour), Number(minute), Number(second));
    return date;
  };
  const date = at(year.length === 4 ? Number(year) : fullYear(Number(year), at, nowMs));
  // 29 February of a year without one is 1 March, and a leap second is the second after it.
  const days = new Date(Date.UTC(2000, MONTHS.indexOf(month) + 1, 0)).getUTCDate();
  return Number(day) >= 1 && Number(day) <= days ? date.getTime() : null;
}

/** The full year of two digits: that of this century, or of the next, that is not more than 50 years ahead; else the last one in the past. */
function fullYear(digits: number, at: (year: number) => Date, nowMs: number): number {
  const now = new Date(nowMs);
  const latest = new Date(nowMs);
  latest.setUTCFullYear(now.getUTCFullYear() + YEARS_AHEAD_MAX);
  const century = Math.floor(now.getUTCFullYear() / 100) * 100;
  const candidates = [century + 100, century, century - 100].map((base) => base + digits);
  return candidates.find((year) => at(year) <= latest) ?? century + digits;
}
