import { CelScalar, celMethod, objectType, type CelFunc } from '@bufbuild/cel';
import { timestampDate, TimestampSchema } from '@bufbuild/protobuf/wkt';
import { localTime } from '../local-time.ts';

/** The parts of a time. The library's `getHours()` of UTC is one off where local time skips an hour. */
const TIMESTAMP = objectType(TimestampSchema);
const OFFSET = /^([+-]?)(\d\d):(\d\d)$/;
const MS_A_MINUTE = 60_000;
const MS_A_DAY = 86_400_000;

/** A time whose UTC parts are the parts in the zone. */
function inZone(time: Date, zone: string | undefined): Date {
  if (zone === undefined || zone === 'UTC') return time;
  const offset = OFFSET.exec(zone);
  if (offset !== null) {
    const minutes = Number(offset[2]) * 60 + Number(offset[3]);
    return new Date(time.getTime() + (offset[1] === '-' ? -minutes : minutes) * MS_A_MINUTE);
  }
  return new Date(localTime(zone, time.getTime()));
}

function dayOfYear(time: Date): number {
  const start = new Date(time);
  start.setUTCMonth(0, 1);
  return Math.round((time.getTime() - start.getTime()) / MS_A_DAY);
}

const PARTS: readonly [name: string, part: (time: Date) => number][] = [
  ['getFullYear', (time) => time.getUTCFullYear()],
  ['getMonth', (time) => time.getUTCMonth()],
  ['getDate', (time) => time.getUTCDate()],
  ['getDayOfMonth', (time) => time.getUTCDate() - 1],
  ['getDayOfWeek', (time) => time.getUTCDay()],
  ['getDayOfYear', dayOfYear],
  ['getHours', (time) => time.getUTCHours()],
  ['getMinutes', (time) => time.getUTCMinutes()],
  ['getSeconds', (time) => time.getUTCSeconds()],
  ['getMilliseconds', (time) => time.getUTCMilliseconds()],
];

export const TIME_PARTS: readonly string[] = PARTS.map(([name]) => name);

export const timeFunctions: CelFunc[] = PARTS.flatMap(([name, part]) => [
  celMethod(name, TIMESTAMP, [], CelScalar.INT, function () {
    return BigInt(part(timestampDate(this.message)));
  }),
  celMethod(name, TIMESTAMP, [CelScalar.STRING], CelScalar.INT, function (zone) {
    return BigInt(part(inZone(timestampDate(this.message), zone)));
  }),
]);
