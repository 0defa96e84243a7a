import { afterEach, describe, expect, test } from 'vitest';
import { celOf } from '../../../domain/cel/values.ts';
import { compileCondition } from '../../../domain/approval-policies/condition.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { Meter } from '../../../domain/cel/meter.ts';
import { evaluated, refusalOf } from './support.ts';

const value = (text: string, facts = {}): unknown => {
  const result = evaluated(text, facts);
  return result.ok ? result.value : `error: ${result.message}`;
};

describe('a condition sees', () => {
  test.each<[string, boolean]>([
    ['input.amount > 50000', true],
    ['input.amount == 60000 && input.amount % 7 == 3', true],
    ['type(input.amount) == int && type(input.ratio) == double', true],
    ['input.amount > 59999.5 && input.ratio < 1', true],
    ['input["currency"].upperAscii() == "USD"', true],
    ['input.items[1].id == "b" && size(input.items) == 2', true],
    ['input.items.exists(item, item.count > 1)', true],
    ['input.items.all(item, item.count > 1)', false],
    ['input.items.map(item, item.count).filter(count, count > 1) == [2]', true],
    ['input.items.exists_one(item, item.id in ["a", "c"])', true],
    ['has(input.amount) && !has(input.absent)', true],
    ['input.note == null', true],
    ['impact.exists(i, i.dimension == "money" && i.currency == "usd" && i.amount >= 50000)', true],
    ['impact[1].currency == null && impact[1].bound == "upper_bound"', true],
    ['action.name == "refund-customer" && action.governed && action.tag == "money"', true],
    ['adapter.type == "stripe.refund" && adapter.version == "1"', true],
    ['environment.kind == "production" && environment.name.startsWith("li")', true],
    ['caller.type == "api_key" && caller.name == "support-bot" && caller.agentId.matches("^agent-[0-9]+$")', true],
    ['run.id == null', true],
    ['now < timestamp("2026-04-01T00:00:00Z") && now - timestamp("2026-03-29T00:00:00Z") > duration("1h")', true],
    ['now > timestamp(1774747799)', true],
  ])('%s: %s', (text, expected) => {
    expect(value(text)).toBe(expected);
  });

  test('whole numbers as ints and others as doubles, whatever their size', () => {
    const typed = (number: number): unknown => celOf(number, new Meter(0));
    expect([0, -0, 5, -5, 2 ** 53, -(2 ** 63)].map(typed)).toEqual([0n, 0n, 5n, -5n, 2n ** 53n, -(2n ** 63n)]);
    expect([2 ** 63, 1e300, 0.1].map(typed)).toEqual([2 ** 63, 1e300, 0.1]);
  });

  test.each<[string, unknown]>([
    ['has(input.n) && "n" in input && "n" in input.o && has(input.o.n)', true],
    ['has({"n": null}.n) && "n" in {"n": null} && 1.0 in {1: null} && !(2u in {1: null})', true],
    ['!has(input.n) || input.n < 100', 'error'],
    ['has(input.absent) || "absent" in input', false],
    ['has(input.n.x)', 'error'],
    ['has(input.list.x)', 'error'],
    ['has(input.text.x)', 'error'],
    ['has(input.absent.x)', 'error'],
    ['input.list.exists(one, has(one.n))', true],
  ])('a member that is null, and no member of what has none: %s: %s', (text, expected) => {
    const input = { n: null, o: { n: null }, list: [{ n: null }], text: 'x' };
    const seen = value(text, { input });
    expect(typeof seen === 'string' ? seen.slice(0, 5) : seen).toBe(expected);
  });

  test('members of any name, and no prototype', () => {
    const input = JSON.parse('{"__proto__": {"a": 1}, "constructor": 2, "a.b": 3}') as JsonObject;
    expect(value('input["__proto__"].a == 1 && input.constructor == 2 && input["a.b"] == 3', { input })).toBe(true);
    expect(value('has(input.toString) || has(input.hasOwnProperty)', { input })).toBe(false);
  });
});

describe('the time of day', () => {
  const zoneOfProcess = process.env['TZ'];
  afterEach(() => {
    if (zoneOfProcess === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zoneOfProcess;
  });

  // At this time Berlin is just before the hour that daylight saving skips on 29 March 2026.
  test.each(['UTC', 'Europe/Berlin', 'America/New_York'])('does not depend on the zone of the process: %s', (zone) => {
    process.env['TZ'] = zone;
    const now = new Date('2026-03-29T02:30:00.250Z');
    const parts = [
      'getFullYear',
      'getMonth',
      'getDate',
      'getDayOfMonth',
      'getDayOfWeek',
      'getDayOfYear',
      'getHours',
      'getMinutes',
      'getMilliseconds',
    ];
    const read = (zoneArgument: string): unknown =>
      parts.map((part) => [
        part,
        [0n, 1n, 2n, 4n, 28n, 29n, 30n, 87n, 88n, 250n, 2026n].find((n) =>
          value(`now.${part}(${zoneArgument}) == ${n}`, { now }),
        ),
      ]);
    expect(read('')).toEqual([
      ['getFullYear', 2026n],
      ['getMonth', 2n],
      ['getDate', 29n],
      ['getDayOfMonth', 28n],
      ['getDayOfWeek', 0n],
      ['getDayOfYear', 87n],
      ['getHours', 2n],
      ['getMinutes', 30n],
      ['getMilliseconds', 250n],
    ]);
    expect(read('"Europe/Berlin"')).toContainEqual(['getHours', 4n]);
    expect(read('"-00:30"')).toContainEqual(['getHours', 2n]);
  });
});

describe('a condition fails, and says why, where', () => {
  test.each<[string, RegExp]>([
    ['input.absent > 1', /field not found: absent|no such key/],
    ['input.items[7].id == "a"', /out of bounds/],
    ['input["absent"] == 1', /no such key/],
    ['input.amount / 0 > 1', /zero/],
    ['input.ratio * 2 > 1', /no matching overload/],
    ['input.note.startsWith("a")', /no matching overload/],
    ['int(input.note2) > 1', /not found|no such key/],
  ])('%s', (text, message) => {
    const result = evaluated(text);
    expect(result).toMatchObject({ ok: false, isOverBound: false });
    expect(result.ok ? '' : result.message).toMatch(message);
  });

  // The library returns 0, 16, 5, NaN and 0 here. An amount that is not a number would be below every limit.
  test.each([
    'int("")',
    'int("0x10")',
    'int(" 5")',
    'int("1e3")',
    'double("abc")',
    'double("")',
    'uint("-1")',
    `int("${'9'.repeat(30)}")`,
    'timestamp(253402300800)',
  ])('%s is no number', (text) => {
    expect(evaluated(`${text} == ${text}`)).toMatchObject({ ok: false, isOverBound: false });
  });
});

describe('a condition is refused when it is written', () => {
  test.each<[string, RegExp]>([
    ['', /not a CEL expression/],
    ['input.amount >', /not a CEL expression/],
    ['inptu.amount > 1', /unknown name inptu: there are input, impact, action/],
    ['environment.knd == "production"', /unknown member knd: there are id, name, kind/],
    ['caller.agentId.x == 1', /looks for x in a string or null/],
    ['environment.kind == "prod"', /one of development, staging, production/],
    ['"prod" != environment.kind', /one of development/],
    ['environment.kind in ["production", "test"]', /one of development/],
    ['caller.type == "key"', /one of api_key, user/],
    ['impact.exists(i, i.bound == "about")', /one of exact, upper_bound/],
    // Written like this, they would never match, and a rule that denies would let everything pass.
    ['impact.exists(i, i.currency == "USD" && i.amount > 1)', /"USD" what is always three lower case letters/],
    ['impact.exists(i, i.currency in ["usd", "EUR"])', /"EUR" what is always three lower case letters/],
    ['"Money" == impact[0].dimension', /"Money" what is always lower case letters/],
    ['impact.exists(i, i.sum > 1)', /unknown member sum/],
    ['environment["knd"] == "production"', /unknown member knd: there are id, name, kind/],
    ['"knd" in environment', /unknown member knd/],
    ['impact[0].amount == "1"', /compares a int with a string/],
    ['environment.kind == 1', /compares a string with a int/],
    ['environment.name == null', /compares a string with a null_type/],
    ['1 in ["a"]', /compares a int with a string/],
    ['now > "2026-01-01"', /does not take/],
    ['now.getHours(1) == 1', /does not take/],
    ['environment.name.getHours() == 1', /does not take/],
    ['frobnicate(input)', /unknown function frobnicate/],
    ['input.size()', /must be true or false, and is a int/],
    ['impact', /must be true or false, and is a list/],
    ['"a"', /must be true or false, and is a string/],
    ['environment.name && true', /needs a bool for &&/],
    ['environment.name ? true : false', /needs a bool for the condition/],
    ['environment.name.all(c, true)', /walks over a string/],
    ['input.a.matches(input.b)', /not written out/],
    ['matches(input.a, input.b)', /not written out/],
    ['input.a.matches("(?<=a)b")', /cannot be used/],
    ['input.a.matches("(")', /cannot be used/],
    [`input.a.matches("${'a'.repeat(257)}")`, /more than 256 characters/],
    ['google.protobuf.Duration{seconds: 1} == duration("1s")', /makes a google.protobuf.Duration/],
  ])('%s', (text, message) => {
    expect(refusalOf(text)).toMatch(message);
  });

  test('and not for a type that is known when it is evaluated only', () => {
    expect(refusalOf('input.isLarge')).toBeNull();
    expect(evaluated('input.amount')).toMatchObject({ ok: true, value: 60_000n });
  });

  test('and only then: a name that a comprehension binds is known in it, and nowhere else', () => {
    expect(refusalOf('input.items.all(x, x.id != "")')).toBeNull();
    expect(refusalOf('input.items.all(x, true) && x')).toMatch(/unknown name x/);
    expect(refusalOf('input.items.all(input, input.id == environment.id)')).toBeNull();
  });
});

describe('what a condition saw', () => {
  test.each<[string, string[]]>([
    ['input.amount > 1 && input.amount < 9', ['input.amount']],
    ['input.items[0].id == input["currency"]', ['input.items[0].id', 'input.currency']],
    ['input.items.all(x, x.id != environment.name)', ['input.items', 'environment.name']],
    ['has(input.a.b) || size(impact) > 0', ['input.a.b', 'impact']],
    ['input.items.exists(input, input.id == "a")', ['input.items']],
    ['true', []],
  ])('%s: %j', (text, paths) => {
    const compiled = compileCondition(text);
    expect(compiled.ok ? compiled.expression.paths.map((path) => path.text) : compiled).toEqual(paths);
  });
});
