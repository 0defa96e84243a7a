import { expect, test } from 'vitest';
import { periodKey } from '../../../domain/impact-limits/period.ts';
import { createTestDatabase } from '../../harness/database.ts';

/**
 * Compares the keys of periods with independent arithmetic: PostgreSQL's, with its own time zone database. It covers years that
 * both know for certain, around every change of the clocks.
 */
const TIME_ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/St_Johns',
  'America/Sao_Paulo',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'Asia/Kolkata',
  'Pacific/Apia',
  'Pacific/Auckland',
];
const FORMATS = { day: 'YYYY-MM-DD', week: 'IYYY-"W"IW', month: 'YYYY-MM' } as const;
const FROM = Date.parse('2012-01-01T00:00:00Z');
const INSTANTS = 4_000;
/** A little more than a day, and not a whole number of hours: over the years it reaches every hour of every month. */
const STEP_MS = 91_973_137;

const database = await createTestDatabase();

test.each(TIME_ZONES)('days, weeks, months and hours of %s are those of PostgreSQL', async (timezone) => {
  const instants = Array.from({ length: INSTANTS }, (_, at) => new Date(FROM + at * STEP_MS));
  for (const [period, format] of Object.entries(FORMATS) as [keyof typeof FORMATS, string][]) {
    const rows = await database.asOwner<{ key: string }>(
      `SELECT to_char(at AT TIME ZONE $1, $2) AS key FROM unnest($3::timestamptz[]) WITH ORDINALITY AS i (at, n) ORDER BY n`,
      [timezone, format, instants.map((at) => at.toISOString())],
    );
    expect(instants.map((at) => periodKey({ period, timezone }, at, ''))).toEqual(rows.map(({ key }) => key));
  }
  const rows = await database.asOwner<{ hour: string }>(
    `SELECT to_char(at AT TIME ZONE $1, 'YYYY-MM-DD"T"HH24') AS hour FROM unnest($2::timestamptz[]) WITH ORDINALITY AS i (at, n) ORDER BY n`,
    [timezone, instants.map((at) => at.toISOString())],
  );
  const hours = instants.map((at) => periodKey({ period: 'hour', timezone }, at, '').slice(0, '2026-11-21T14'.length));
  expect(hours).toEqual(rows.map(({ hour }) => hour));
});
