import type { JsonObject } from '../../domain/json.ts';

/**
 * Expressions built to explode. The tests assert that each is refused or
 * cut off; this benchmark measures how long that takes.
 */
export interface HostileExpression {
  name: string;
  text: string;
}

const numbers = Array.from({ length: 5_000 }, (_, index) => index);
const texts = numbers.map((index) => `recipient-${index}@example.com`);
const long = 'a'.repeat(90_000);
const bits = Array.from({ length: 20_000 }, (_, index) => 'ab'[((index * index * 7_919) >> 5) & 1]).join('');
const nested = { list: numbers.slice(0, 300).map(() => ({ items: numbers.slice(0, 300) })) };
const wide = Object.fromEntries(numbers.map((index) => [`key-${index}`, index]));
/** The facts that they are evaluated on. */
export const HOSTILE_INPUT: JsonObject = {
  numbers,
  texts,
  long,
  bits,
  nested,
  wide,
  almost: `${long}b`,
  digits: '9'.repeat(90_000),
  lists: [numbers, [...numbers]],
};

const hundred = `[${Array.from({ length: 100 }, (_, index) => index).join(',')}]`;
const repeated = (part: string, by: string, times: number): string =>
  Array.from({ length: times }, () => part).join(by);

const overInput: Record<string, string> = {
  'all in all in all': 'input.numbers.all(a, input.numbers.all(b, input.numbers.all(c, true)))',
  'exists in exists, never true': 'input.numbers.exists(a, input.numbers.exists(b, false))',
  'an inner walk that ends at once': 'input.numbers.all(a, input.numbers.exists(b, true))',
  'errors that || would swallow': 'input.numbers.exists(a, input.numbers.exists(b, a / 0 == b)) || true',
  'maps in maps': 'input.numbers.map(a, input.numbers.map(b, a + b)).size() > 0',
  'filters in a row': `input.numbers${'.filter(a, true)'.repeat(40)}.size() > 0`,
  'maps in a row, walked': `input.numbers${'.map(a, [a])'.repeat(40)}.all(a, true)`,
  'a walk over map keys': 'input.wide.all(a, input.wide.all(b, true))',
  'one number looked up in a wide map': `input.numbers.all(a, ${repeated('!(7 in input.wide)', ' && ', 60)})`,
  'numbers as keys of a wide map': `input.numbers.all(a, ${repeated('(input.wide[a] == 1 || true)', ' && ', 40)})`,
  'in a list, for each of a list': 'input.texts.all(a, !("x" in input.texts))',
  'deep equality, for each': 'input.numbers.all(a, input.nested == input.nested)',
  'equality of two long lists, for each': 'input.numbers.all(a, input.lists[0] == input.lists[1])',
  'long lists added, for each': 'input.numbers.all(a, (input.numbers + input.numbers).size() > 0)',
  'strings doubled': `size(${'('.repeat(20)}input.long${' + input.long)'.repeat(20)}) > 0`,
  'strings doubled in a map': 'input.numbers.map(a, input.long + input.long).size() > 0',
  'long strings compared, for each': 'input.numbers.all(a, input.long <= input.long + "b")',
  'a long string measured, for each': 'input.numbers.all(a, size(input.long) > 0)',
  'a search that fails at the last character': `input.numbers.all(a, !input.long.contains("b${'a'.repeat(200)}"))`,
  'a search for a long string': 'input.numbers.all(a, !input.almost.contains(input.long + "c"))',
  'a pattern of many states': `input.numbers.all(a, !input.long.matches("(a|aa|aaa)*(a|aa|aaa)*(a|aa|aaa)*c$"))`,
  'a counted pattern': 'input.numbers.all(a, !input.long.matches("^(a{1,30}){1,30}b$"))',
  'alternatives in a pattern': `input.numbers.all(a, !input.long.matches("(x+x+)+y|(.*a){12}$|b"))`,
  'a pattern whose states explode': `input.numbers.all(a, !input.bits.matches("[ab]*a[ab]{40}[cd]"))`,
  'a short text, a pattern whose states explode': `input.numbers.all(a, !input.bits.substring(0, 1000).matches("[ab]*a[ab]{20}[cd]"))`,
  'errors of members, for each': `input.numbers.all(a, ${repeated('a.b', ' || ', 80)} || true)`,
  'errors of indices, for each': `input.numbers.all(a, ${repeated('input.numbers[-1] == 1', ' || ', 50)} || true)`,
  'a search backwards': 'input.numbers.all(a, input.long.lastIndexOf(input.long.substring(50000) + "b") < 0)',
  'a search of the middle': `input.numbers.all(a, !input.long.contains(input.long.substring(80000) + "b" + input.long.substring(80000)))`,
  'a long number': 'input.numbers.all(a, int(input.digits) > 0)',
  'bytes of a long string, for each': 'input.numbers.all(a, bytes(input.long).size() > 0)',
  'replace everything': 'input.long.replace("a", "aaaaaaaaaaaaaaaaaaaa").size() > 0',
  'replace nothing everywhere': 'input.numbers.all(a, input.long.replace("", "b").size() > 0)',
  'split, for each': 'input.numbers.all(a, input.long.split("").size() > 0)',
  'join, for each': 'input.numbers.all(a, input.texts.join(",").size() > 0)',
  'lower case, for each': 'input.numbers.all(a, input.long.lowerAscii() != "")',
  'format a long list, for each': 'input.numbers.all(a, "%s %s".format([input.texts, input.wide]) != "")',
  'format with many digits': `input.numbers.all(a, "${'%.99f'.repeat(20)}".format([${repeated('1.5', ',', 20)}]) != "")`,
  'the parts of a time in many zones': `input.numbers.all(a, ${['Europe/Berlin', 'Asia/Tokyo', 'America/Lima', 'Africa/Cairo'].map((zone) => `now.getHours("${zone}") >= 0`).join(' && ')})`,
  'times made and added': 'input.numbers.all(a, timestamp("2026-01-01T00:00:00Z") + duration("1h") < now)',
  'many members deep, for each': `input.numbers.all(a, !has(input${'.a'.repeat(40)}) || true)`,
  'large lists written out, for each': `input.numbers.all(a, a in ${hundred} || true)`,
  'many conditionals, for each': `input.numbers.all(a, ${repeated('(a > 1 ? a < 9 : a > 3) || true', ' && ', 50)})`,
};

const whenWritten: Record<string, string> = {
  'lists written out, inside each other': `${hundred}.all(a, ${hundred}.all(b, ${hundred}.all(c, a + b + c >= 0)))`,
  'a product of lists by map': `${hundred}.map(a, ${hundred}).all(x, x.all(y, ${hundred}.all(z, y < z)))`,
  'four comprehensions inside each other': 'input.a.all(a, input.a.all(b, input.a.all(c, input.a.all(d, true))))',
  'a pattern from the input': 'input.long.matches(input.pattern)',
  'messages made of the input': 'input.numbers.all(a, google.protobuf.Struct{fields: input} != null)',
  'a pattern that unrolls': 'input.long.matches("((((a{1,100}){1,100}){1,100}){1,100})")',
  'a pattern with a look-behind': 'input.long.matches("(?<=a)b")',
  'many brackets': `${'['.repeat(900)}1${']'.repeat(900)} == []`,
  'many sums': `${'1+'.repeat(900)}1 == 901`,
  'many members': `input${'.a'.repeat(900)}`,
  'more than 100 items': `${JSON.stringify(numbers.slice(0, 150))}.size() > 0`,
  'more than 2,000 characters': `input.a == "${'a'.repeat(2_000)}"`,
};

const entries = (expressions: Record<string, string>): HostileExpression[] =>
  Object.entries(expressions).map(([name, text]) => ({ name, text }));

/** Cut off during evaluation: only the input makes them large. */
export const HOSTILE_OVER_INPUT: readonly HostileExpression[] = entries(overInput);
/** Refused when they are written. */
export const HOSTILE_WHEN_WRITTEN: readonly HostileExpression[] = entries(whenWritten);
