/** How values read: counts with separators, money as money, durations as people say them. */

const COUNT = new Intl.NumberFormat('en');
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const MICROCENTS_OF_A_UNIT = 100_000_000;

export function countText(count: number): string {
  return COUNT.format(count);
}

/** "1 effect", "1,204 effects". */
export function countOf(count: number, singular: string, plural = `${singular}s`): string {
  return `${countText(count)} ${count === 1 ? singular : plural}`;
}

/** Takes minor units: 60000 usd reads "600.00 USD". An unknown currency has two digits. */
export function moneyText(minorUnits: number, currency: string): string {
  const code = currency.toUpperCase();
  const digits = minorDigits(code);
  const amount = new Intl.NumberFormat('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return `${amount.format(minorUnits / 10 ** digits)} ${code}`;
}

function minorDigits(currency: string): number {
  if (!/^[A-Z]{3}$/.test(currency)) return 2;
  const format = new Intl.NumberFormat('en', { style: 'currency', currency });
  return format.resolvedOptions().maximumFractionDigits ?? 2;
}

/** Microcents are millionths of a US cent: what budgets of keys count in. */
export function microcentsText(microcents: number): string {
  const amount = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 4 });
  return `${amount.format(microcents / MICROCENTS_OF_A_UNIT)} USD`;
}

export interface Quantity {
  dimension: string;
  amount: number;
  currency?: string | null;
}

/** "600.00 USD", "2 emails", "1 resource mutation". */
export function quantityText({ dimension, amount, currency }: Quantity): string {
  if (currency !== undefined && currency !== null) return moneyText(amount, currency);
  const words = wordsOf(dimension);
  return `${countText(amount)} ${amount === 1 ? words.replace(/s$/, '') : words}`;
}

/** `awaiting_approval` reads "awaiting approval". */
export function wordsOf(code: string): string {
  return code.replaceAll(/[_-]/g, ' ').replace(/^api\b/, 'API');
}

export function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Two units at most: "340 ms", "4.2 s", "3 min 20 s", "2 h 5 min", "3 days". */
export function durationText(ms: number): string {
  if (ms < SECOND_MS) return `${Math.round(ms)} ms`;
  if (ms < MINUTE_MS) return `${(ms / SECOND_MS).toFixed(ms < 10 * SECOND_MS ? 1 : 0)} s`;
  if (ms < HOUR_MS) return two(ms, [MINUTE_MS, 'min'], [SECOND_MS, 's']);
  if (ms < 2 * DAY_MS) return two(ms, [HOUR_MS, 'h'], [MINUTE_MS, 'min']);
  return `${Math.floor(ms / DAY_MS)} days`;
}

const ISO_DURATION = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/;

/** "PT2H" reads "2 h". What is no duration is shown as it is. */
export function isoDurationText(duration: string): string {
  const found = ISO_DURATION.exec(duration);
  if (found === null) return duration;
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = found.slice(1).map((part) => Number(part ?? 0));
  return durationText(days * DAY_MS + hours * HOUR_MS + minutes * MINUTE_MS + seconds * SECOND_MS);
}

type Unit = readonly [ms: number, word: string];

function two(ms: number, [large, largeWord]: Unit, [small, smallWord]: Unit): string {
  const rest = Math.floor((ms % large) / small);
  return `${Math.floor(ms / large)} ${largeWord}${rest === 0 ? '' : ` ${rest} ${smallWord}`}`;
}

/** "3 min ago", "in 2 h". */
export function distanceText(to: Date, now: number): string {
  const ms = to.getTime() - now;
  const length = Math.abs(ms) < MINUTE_MS ? `${Math.round(Math.abs(ms) / SECOND_MS)} s` : coarse(Math.abs(ms));
  return ms < 0 ? `${length} ago` : `in ${length}`;
}

function coarse(ms: number): string {
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min`;
  if (ms < 2 * DAY_MS) return `${Math.floor(ms / HOUR_MS)} h`;
  return `${Math.floor(ms / DAY_MS)} days`;
}

const KIB = 1_024;

export function bytesText(bytes: number): string {
  if (bytes < KIB) return `${bytes} B`;
  if (bytes < KIB ** 2) return `${(bytes / KIB).toFixed(1)} KiB`;
  return `${(bytes / KIB ** 2).toFixed(1)} MiB`;
}

export function percentText(share: number): string {
  return `${(share * 100).toFixed(share > 0 && share < 0.1 ? 1 : 0)} %`;
}

/** Indented, so that a person can read it. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? 'undefined';
}
