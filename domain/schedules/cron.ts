/** Read only here: Temporal's own cron strings differ. The forms: docs/schedules.md, "Cron expressions". */
export interface Cron {
  seconds: readonly number[];
  minutes: readonly number[];
  hours: readonly number[];
  daysOfMonth: readonly number[];
  months: readonly number[];
  /** 0 is Sunday. */
  daysOfWeek: readonly number[];
  /** Both day fields are restricted: a day that matches either one matches. Otherwise it must match both. */
  eitherDay: boolean;
}

/** An expression that cannot be read. The message is for its author. */
export class CronError extends Error {
  override readonly name = 'CronError';
}

export const CRON_CHARACTERS_MAX = 200;

interface Field {
  name: string;
  min: number;
  max: number;
  /** Names of the values from `min` on. */
  names: readonly string[];
}

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const DAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
const SECOND: Field = { name: 'second', min: 0, max: 59, names: [] };
const MINUTE: Field = { name: 'minute', min: 0, max: 59, names: [] };
const HOUR: Field = { name: 'hour', min: 0, max: 23, names: [] };
const DAY_OF_MONTH: Field = { name: 'day of the month', min: 1, max: 31, names: [] };
const MONTH: Field = { name: 'month', min: 1, max: 12, names: MONTHS };
/** 7 is Sunday too. */
const DAY_OF_WEEK: Field = { name: 'day of the week', min: 0, max: 7, names: DAYS };

/** @throws {CronError} */
export function parseCron(expression: string): Cron {
  if (expression.length > CRON_CHARACTERS_MAX) {
    throw new CronError(`is longer than ${CRON_CHARACTERS_MAX} characters`);
  }
  if (expression.startsWith('@')) {
    throw new CronError(`must be written in fields: "0 0 * * *" for @daily, "0 * * * *" for @hourly`);
  }
  const texts = expression.trim().split(/\s+/);
  if (texts.length !== 5 && texts.length !== 6) {
    throw new CronError(
      'must have 5 fields (minute, hour, day of the month, month, day of the week), or 6 with the second first',
    );
  }
  const [second = '', minute = '', hour = '', dayOfMonth = '', month = '', dayOfWeek = ''] =
    texts.length === 6 ? texts : ['0', ...texts];
  const days = valuesOf(DAY_OF_WEEK, dayOfWeek).map((day) => day % 7);
  return {
    seconds: valuesOf(SECOND, second),
    minutes: valuesOf(MINUTE, minute),
    hours: valuesOf(HOUR, hour),
    daysOfMonth: valuesOf(DAY_OF_MONTH, dayOfMonth),
    months: valuesOf(MONTH, month),
    daysOfWeek: ascending(days),
    eitherDay: dayOfMonth !== '*' && dayOfWeek !== '*',
  };
}

function valuesOf(field: Field, text: string): number[] {
  return ascending(text.split(',').flatMap((part) => valuesOfPart(field, part)));
}

export function ascending(values: readonly number[]): number[] {
  return [...new Set(values)].toSorted((left, right) => left - right);
}

/** `*` or `a-b`, with `/n` or without; or one value. */
const PART = /^(?:(?:(\*)|([0-9]+|[A-Z]{3})-([0-9]+|[A-Z]{3}))(?:\/([0-9]+))?|([0-9]+|[A-Z]{3}))$/i;

function valuesOfPart(field: Field, part: string): number[] {
  const match = PART.exec(part);
  if (match === null) throw new CronError(`has "${part}" as its ${field.name}: ${remedyFor(part)}`);
  const [, star, first = '', last = '', stepText = '1', single] = match;
  if (single !== undefined) return [valueOf(field, single)];
  const lowest = star === undefined ? valueOf(field, first) : field.min;
  const highest = star === undefined ? valueOf(field, last) : highestOf(field);
  if (highest < lowest) {
    throw new CronError(`has the range "${part}" as its ${field.name}, which ends before it begins: write two ranges`);
  }
  const step = Number(stepText);
  if (step < 1 || step > field.max) {
    throw new CronError(`has "${part}" as its ${field.name}: a step is from 1 to ${field.max}`);
  }
  const count = Math.floor((highest - lowest) / step) + 1;
  return Array.from({ length: count }, (_, index) => lowest + index * step);
}

/** `*` has one Sunday. */
function highestOf(field: Field): number {
  return field === DAY_OF_WEEK ? DAYS.length - 1 : field.max;
}

function valueOf(field: Field, text: string): number {
  const named = field.names.indexOf(text.toUpperCase());
  const value = named === -1 ? Number(text) : field.min + named;
  if (Number.isNaN(value) || value < field.min || value > field.max) {
    const names = field.names.length === 0 ? '' : `, or ${field.names[0]} to ${field.names.at(-1)}`;
    throw new CronError(`has "${text}" as its ${field.name}, which is from ${field.min} to ${field.max}${names}`);
  }
  return value;
}

function remedyFor(part: string): string {
  if (/[LW#?]/i.test(part)) return 'L, W, # and ? are not taken; write the days out';
  if (/^\w+\/\d+$/.test(part)) return 'write the range that is stepped through, such as 5-59/20';
  return 'write a value, a range a-b, *, a step such as */5 or 8-18/2, or a list of these';
}
