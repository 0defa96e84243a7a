import { createHash } from 'node:crypto';
import { ID_PREFIXES } from '../../../domain/ids.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../domain/json.ts';
import { uniqueParts } from '../suites/fixture.ts';

/** The moment at which every example was recorded. */
const EXAMPLE_NOW = Date.parse('2026-03-02T10:15:00.000Z');
/** Replaces the measured duration of a provider call. */
const DURATION_MS = 184;
const QUARTER_MS = 15 * 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Moments of a recording that lie this close are shown as one: which of them is later differs from run to run. */
const SAME_MOMENT_MS = 5 * 60_000;
const PEOPLE = ['grace.hopper', 'alan.turing', 'barbara.liskov', 'edsger.dijkstra', 'radia.perlman', 'ken.thompson'];

const ID = new RegExp(`\\b(${Object.values(ID_PREFIXES).join('|')})_[0-9A-Za-z]{22}\\b`, 'g');
/** What test/harness calls every workspace and person. */
const WORKSPACE = 'Test workspace';
const NAMELESS = 'Test Person';
const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;
const DIGEST = /\b[0-9a-f]{64}\b/g;
const DATE_TIME = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
/** Members with the name of the present day or month. */
const PERIODS: ReadonlySet<string> = new Set(['currentPeriod', 'month', 'date']);
const PERIOD = /^\d{4}-\d\d(?:-\d\d)?$/;
/** Members that do not depend on when they are asked for: a price list takes effect on a day of its own. */
const FIXED: ReadonlySet<string> = new Set(['effectiveAt']);
/** Members with the bounds of a range of analytics and of its buckets, and how they lie in its grid. */
const BOUNDS: ReadonlySet<string> = new Set(['from', 'to', 'start', 'end']);
const GRIDS: Readonly<Record<string, number>> = { '15m': QUARTER_MS, day: DAY_MS };
const LOCAL_ORIGIN = /\bhttp:\/\/127\.0\.0\.1:\d+/g;
const LOCAL_HOST = /\b127\.0\.0\.1:\d+/g;
const PROVIDER = 'api.payments.example';
const API_KEY = /\b(service_live_)[0-9A-Za-z]+/g;
const SIGNING_SECRET = /\b(whsec_)[0-9A-Za-z+/=]+/g;
const HTTP_DATE = /\b[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT\b/g;
/** When a presigned URL expires, in it and by itself, and its signature. */
const EXPIRES = /\b1[7-9]\d{11}\b/g;
const URL_SIGNATURE = /\bsignature=1\.[\w-]{43}/g;
const PERSON = /\b[0-9a-f-]{36}@example\.test\b/g;
/** Members with the wall-clock times of a schedule, and whether they lie ahead. Their distance from now differs in each recording. */
const SLOTS: Readonly<Record<string, 1 | -1>> = { times: 1, nextRunAt: 1, nominalTime: -1 };
const SLOT_HOUR_UTC = 8;
/** Members whose value is a credential. */
const CREDENTIALS: Readonly<Record<string, string>> = {
  token: 'example-token-of-an-invitation',
  csrfToken: 'example-csrf-token',
  signature: '1.example-signature-of-an-upload-url',
  challenge: 'ZXhhbXBsZS1jaGFsbGVuZ2U',
  rawId: 'ZXhhbXBsZS1jcmVkZW50aWFs',
  clientDataJSON: 'ZXhhbXBsZS1jbGllbnQtZGF0YQ',
  attestationObject: 'ZXhhbXBsZS1hdHRlc3RhdGlvbg',
  authenticatorData: 'ZXhhbXBsZS1hdXRoZW50aWNhdG9yLWRhdGE',
};
/** The id of a passkey or of its person, as browsers write bytes. */
const ENCODED_ID = /^(?:[\w-]{43}|dXNy[\w-]{31})$/;
const EXAMPLE_RECOVERY_CODE = '1f0c9-ab34e-0d2f7-61b8a';
const RECOVERY_CODE = /^[0-9a-f]{5}(?:-[0-9a-f]{5}){3}$/;
/** What the random part of a key is in an example. */
export const EXAMPLE_KEY = 'EXAMPLE0'.repeat(6);
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * An example in which nothing depends on the run that recorded it: ids, keys, digests and moments have plausible values that follow
 * from the order in which they first appear. One value is one value throughout the example, so what refers to it still does.
 */
export class StableExample {
  private readonly recordedAt: number;
  private readonly seen = new Map<string, Map<string, string>>();
  /** The length of a bucket, after a range of analytics was seen. */
  private grid: number | undefined;

  constructor(recordedAt: number) {
    this.recordedAt = recordedAt;
  }

  of<Value extends Json>(value: Value): Value {
    return this.stable(value, '') as Value;
  }

  private stable(value: Json, member: string): Json {
    if (Array.isArray(value)) return value.map((item) => this.stable(item, member));
    if (isJsonObject(value)) {
      this.grid ??= gridOf(value['range']);
      // The end of a day may be the first of a month, and is shown as the end of a day all the same.
      const { period: kind, resetsAt } = value;
      const daily =
        kind === 'day' && typeof resetsAt === 'string'
          ? { resetsAt: shiftedDay(Date.parse(resetsAt), this.recordedAt).toISOString() }
          : {};
      const shown = Object.entries(value).map(([name, item]) => [this.text(name), this.stable(item, name)]);
      return named({ ...(Object.fromEntries(shown) as JsonObject), ...daily });
    }
    if (member === 'durationMs' && typeof value === 'number') return DURATION_MS;
    if (typeof value !== 'string') return value;
    const isNow = Math.abs(Date.parse(value) - this.recordedAt) < SAME_MOMENT_MS;
    // A slot that has passed; a message that is still to be sent has its own time.
    const hasPassed = member === 'scheduledFor' && Date.parse(value) < this.recordedAt;
    const ahead = SLOTS[member] ?? (hasPassed ? -1 : undefined);
    if (ahead !== undefined && !(ahead < 0 && isNow)) return this.slot(value, ahead);
    if (FIXED.has(member)) return value;
    // The last fold: how long ago depends on the age of the database.
    if (member === 'completeUntil') return new Date(EXAMPLE_NOW).toISOString();
    if (this.grid !== undefined && BOUNDS.has(member)) return inGrid(value, this.grid, this.recordedAt);
    if (PERIODS.has(member) && PERIOD.test(value)) return period(value, this.recordedAt);
    if (RECOVERY_CODE.test(value)) return EXAMPLE_RECOVERY_CODE;
    return CREDENTIALS[member] ?? (ENCODED_ID.test(value) ? CREDENTIALS['rawId'] : undefined) ?? this.text(value);
  }

  /** The nth working day from the example's moment, at nine in Berlin. */
  private slot(time: string, ahead: 1 | -1): string {
    return this.nth('slot', time, (index) => {
      const slot = new Date(Math.floor(EXAMPLE_NOW / DAY_MS) * DAY_MS + SLOT_HOUR_UTC * HOUR_MS);
      for (let left = index + 1; left > 0;) {
        slot.setUTCDate(slot.getUTCDate() + ahead);
        if (slot.getUTCDay() % 6 !== 0) left -= 1;
      }
      return slot.toISOString();
    });
  }

  private text(text: string): string {
    return this.withoutUniqueParts(text)
      .replaceAll(PERSON, (email) =>
        this.nth('person', email, (index) => `${PEOPLE[index] ?? `person-${index}`}@example.com`),
      )
      .replaceAll(ID, (id, prefix: string) =>
        this.nth(prefix, id, (index) => `${prefix}_${characters(`${prefix}${index}`)}`),
      )
      .replaceAll(UUID, (uuid) => this.nth('uuid', uuid, exampleUuid))
      .replaceAll(DIGEST, (digest) => this.nth('digest', digest, (index) => sha256(`digest ${index}`)))
      .replaceAll(DATE_TIME, (moment) => this.moment(Date.parse(moment)))
      .replaceAll(URL_SIGNATURE, `signature=${CREDENTIALS['signature']}`)
      .replaceAll(EXPIRES, String(EXAMPLE_NOW + HOUR_MS))
      .replaceAll(WORKSPACE, 'Acme')
      .replaceAll(LOCAL_ORIGIN, `https://${PROVIDER}`)
      .replaceAll(LOCAL_HOST, PROVIDER)
      .replaceAll(HTTP_DATE, new Date(EXAMPLE_NOW).toUTCString())
      .replaceAll(SIGNING_SECRET, (secret, prefix: string) => `${prefix}${EXAMPLE_KEY}`.slice(0, secret.length))
      .replaceAll(API_KEY, (key, prefix: string) => `${prefix}${EXAMPLE_KEY}`.slice(0, key.length));
  }

  /** `refund.create-x7f3` is `refund.create`; another one beside it is `refund.create-2`. */
  private withoutUniqueParts(text: string): string {
    return text.replaceAll(/([\w. ]+?)-([0-9a-z]{10})\b/g, (whole, name: string, part: string) => {
      if (!uniqueParts.has(part)) return whole;
      return this.nth(`name ${name}`, part, (index) => (index === 0 ? name : `${name}-${index + 1}`));
    });
  }

  private moment(time: number): string {
    const offset = time - this.recordedAt;
    const isMidnight = time % DAY_MS === 0;
    if (isMidnight) return midnight(time, this.recordedAt);
    const shown = Math.abs(offset) < SAME_MOMENT_MS ? 0 : Math.round(offset / SAME_MOMENT_MS) * SAME_MOMENT_MS;
    return new Date(EXAMPLE_NOW + shown).toISOString();
  }

  private nth(kind: string, value: string, exampleOf: (index: number) => string): string {
    const known = this.seen.get(kind) ?? new Map<string, string>();
    this.seen.set(kind, known);
    const example = known.get(value) ?? exampleOf(known.size);
    known.set(value, example);
    return example;
  }
}

/** A person of the tests has the name of their e-mail address. */
function named(value: JsonObject): JsonObject {
  const { name, email } = value;
  if (name !== NAMELESS || typeof email !== 'string') return value;
  const words = email.replace(/@.*/, '').split('.');
  return { ...value, name: words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(' ') };
}

function gridOf(range: Json | undefined): number | undefined {
  const interval = isJsonObject(range) ? range['interval'] : undefined;
  return typeof interval === 'string' ? GRIDS[interval] : undefined;
}

/** A bucket stays as many buckets away. */
function inGrid(time: string, grid: number, recordedAt: number): string {
  const buckets = Math.floor(Date.parse(time) / grid) - Math.floor(recordedAt / grid);
  return new Date((Math.floor(EXAMPLE_NOW / grid) + buckets) * grid).toISOString();
}

/** A day stays as many days away, a month as many months. */
function period(name: string, recordedAt: number): string {
  const isDay = name.length === '2026-03-02'.length;
  const shown = isDay ? shiftedDay(Date.parse(name), recordedAt) : shiftedMonth(Date.parse(name), recordedAt);
  return shown.toISOString().slice(0, name.length);
}

/** Periods begin at midnight: the first of a month stays one, as many months away. */
function midnight(time: number, recordedAt: number): string {
  const isFirst = new Date(time).getUTCDate() === 1;
  return (isFirst ? shiftedMonth(time, recordedAt) : shiftedDay(time, recordedAt)).toISOString();
}

function shiftedMonth(time: number, recordedAt: number): Date {
  const [at, now, example] = [new Date(time), new Date(recordedAt), new Date(EXAMPLE_NOW)];
  const months = (at.getUTCFullYear() - now.getUTCFullYear()) * 12 + at.getUTCMonth() - now.getUTCMonth();
  return new Date(Date.UTC(example.getUTCFullYear(), example.getUTCMonth() + months, 1));
}

function shiftedDay(time: number, recordedAt: number): Date {
  const days = Math.floor(time / DAY_MS) - Math.floor(recordedAt / DAY_MS);
  return new Date((Math.floor(EXAMPLE_NOW / DAY_MS) + days) * DAY_MS);
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** 22 characters of base62, in the form of an id made at the example's moment. */
function characters(seed: string): string {
  const bytes = createHash('sha256').update(seed).digest();
  return `01nFr6${[...bytes.subarray(0, 16)].map((byte) => ALPHABET.charAt(byte % ALPHABET.length)).join('')}`;
}

/** A UUIDv7. */
function exampleUuid(index: number): string {
  const hex = sha256(`uuid ${index}`);
  return `019cadc1-${hex.slice(0, 4)}-7${hex.slice(4, 7)}-8${hex.slice(7, 10)}-${hex.slice(10, 22)}`;
}
