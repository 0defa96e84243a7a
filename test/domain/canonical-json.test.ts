import { canonicalize } from 'json-canonicalize';
import { describe, expect, it } from 'vitest';
import { canonicalJson, digestOf } from '../../domain/canonical-json.ts';
import type { Json } from '../../domain/json.ts';
import { randomFrom } from '../harness/random.ts';

const NAMES = [
  'a',
  'b',
  'B',
  '',
  '10',
  '9',
  '€',
  '\u{1f600}',
  'ﬁ',
  '\r',
  '__proto__',
  'constructor',
  'ö',
  '"',
  '\ud800',
];
const SCALARS: Json[] = [
  null,
  true,
  false,
  0,
  -0,
  1e21,
  1e-7,
  333333333.3333333,
  5e-324,
  'x',
  '€$\u000f\n\'B"\\',
  '\udead',
];

describe('canonical JSON', () => {
  it('is that of RFC 8785, section 3.2.3', () => {
    const sample = JSON.parse(
      String.raw`{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One","\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis"}`,
    ) as Json;
    expect(Object.values(JSON.parse(canonicalJson(sample)) as object)).toHaveLength(7);
    expect([...canonicalJson(sample).matchAll(/:"(\w+)/g)].map(([, word]) => word)).toEqual([
      'Carriage',
      'One',
      'Control',
      'Latin',
      'Euro',
      'Emoji',
      'Hebrew',
    ]);
  });

  it('is the same as that of another implementation, for values of every form', () => {
    const random = randomFrom(8785);
    const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
    const value = (depth: number): Json => {
      const form = depth === 0 ? 0 : Math.floor(random() * 3);
      if (form === 0) return pick(SCALARS);
      const items = Array.from({ length: Math.floor(random() * 5) }, () => value(depth - 1));
      return form === 1 ? items : Object.fromEntries(items.map((item) => [pick(NAMES), item]));
    };
    for (let run = 0; run < 5_000; run++) {
      const one = value(4);
      expect(canonicalJson(one)).toBe(canonicalize(one));
    }
  });

  it('does not depend on the order of the members, whatever their names are', () => {
    expect(digestOf({ toJSON: 1, b: { 10: 1, 9: 2 }, a: [] })).toBe(digestOf({ a: [], b: { 9: 2, 10: 1 }, toJSON: 1 }));
  });

  it('leaves out what is undefined, and refuses numbers that JSON does not have', () => {
    expect(canonicalJson({ b: undefined, a: [undefined] } as unknown as Json)).toBe('{"a":[null]}');
    expect(canonicalJson({ b: 1, a: undefined } as unknown as Json)).toBe('{"b":1}');
    expect(() => canonicalJson({ a: Number.NaN })).toThrow(RangeError);
    expect(() => canonicalJson({ b: Infinity, a: 1 })).toThrow(RangeError);
  });
});
