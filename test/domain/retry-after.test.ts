import { expect, test } from 'vitest';
import { retryAfterMs } from '../../domain/retry-after.ts';

const NOW = Date.UTC(2026, 10, 26, 12);
const MINUTE_MS = 60_000;

test.each<[string, number | null]>([
  ['60', MINUTE_MS],
  [' 60 ', MINUTE_MS],
  ['0.25', 250],
  ['0', 0],
  ['Thu, 26 Nov 2026 12:01:00 GMT', MINUTE_MS],
  ['Thursday, 26-Nov-26 12:01:00 GMT', MINUTE_MS],
  ['Thu Nov 26 12:01:00 2026', MINUTE_MS],
  ['Wed Dec  2 12:00:00 2026', 6 * 1_440 * MINUTE_MS],
  ['Sunday, 06-Nov-94 08:49:37 GMT', 0], // the example of RFC 9110, which has passed
  ['Thu, 26 Nov 2026 11:59:60 GMT', 0],
])('%j is a wait', (value, waitMs) => {
  expect(retryAfterMs(value, NOW)).toBe(waitMs);
});

test('two digits are the year that is at most 50 years ahead', () => {
  const untilMs = (year: number, month: number, day: number) => Date.UTC(year, month, day) - NOW;
  expect(retryAfterMs('Monday, 01-Jan-76 00:00:00 GMT', NOW)).toBe(untilMs(2076, 0, 1));
  expect(retryAfterMs('Thursday, 26-Nov-76 00:00:00 GMT', NOW)).toBe(untilMs(2076, 10, 26));
  expect(retryAfterMs('Friday, 27-Nov-76 00:00:00 GMT', NOW)).toBe(0); // 1976
  const endOfCentury = Date.UTC(2099, 11, 31);
  expect(retryAfterMs('Friday, 01-Jan-00 00:00:00 GMT', endOfCentury)).toBe(Date.UTC(2100, 0, 1) - endOfCentury);
});

test.each([
  '',
  'soon',
  '-1',
  '1e3',
  '0x10',
  '1,5',
  'January 1, 2030',
  '2030-01-01T00:00:00Z',
  'Thu, 31 Nov 2026 12:01:00 GMT',
  'Thu, 00 Nov 2026 12:01:00 GMT',
  'Thu, 26 Nov 2026 24:01:00 GMT',
  'Thu, 26 Nov 2026 12:61:00 GMT',
  'Thu, 26 nov 2026 12:01:00 GMT',
  'Thu, 26 Nov 2026 12:01:00 UTC',
  'Thu, 26-Nov-26 12:01:00 GMT',
  'Thu Nov 26 12:01:00 2026 GMT',
  '1'.repeat(400),
])('%j is no wait', (value) => {
  expect(retryAfterMs(value, NOW)).toBeNull();
});
