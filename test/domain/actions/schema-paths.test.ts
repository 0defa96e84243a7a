import { describe, expect, it } from 'vitest';
import { SchemaPaths } from '../../../domain/actions/schema-paths.ts';
import { parsePath } from '../../../domain/json-path.ts';
import type { JsonObject } from '../../../domain/json.ts';

const CLOSED = { additionalProperties: false };
const text = { type: 'string' };

/** The answer in one word: `required`, `optional`, `open`, or what is impossible at which step. */
function wordFor(schema: JsonObject, path: string): string {
  const answer = new SchemaPaths(schema).answer(parsePath(path) ?? []);
  if (answer.kind === 'impossible') return `${answer.why}@${answer.step}`;
  if (answer.kind === 'open') return 'open';
  return answer.required ? 'required' : 'optional';
}

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'object', properties, ...more });

describe('a path into a schema', () => {
  it.each<[string, string, JsonObject, string]>([
    ['a required member', 'a', object({ a: text }, { required: ['a'] }), 'required'],
    ['an optional member', 'a', object({ a: text }), 'optional'],
    ['an unknown member of an open schema', 'b', object({ a: text }), 'open'],
    ['anything in the empty schema', 'a.b', {}, 'open'],
    ['an unknown member of a closed schema', 'b', object({ a: text }, CLOSED), 'closed@0'],
    ['a deep unknown member', 'a.c', object({ a: object({ b: text }, CLOSED) }), 'closed@1'],
    ['a member of a text', 'a.b', object({ a: text }), 'no_container@1'],
    ['an element of an object', 'a[0]', object({ a: object({}) }), 'no_container@1'],
    ['a member of a map', 'x.a', { type: 'object', additionalProperties: object({ a: text }, CLOSED) }, 'optional'],
    ['another member of a map', 'x.b', { type: 'object', additionalProperties: object({}, CLOSED) }, 'closed@1'],
    ['a pattern, which is not read', 'x', { type: 'object', patternProperties: { '^y': text }, ...CLOSED }, 'required'],
    ['an item', 'a[3].b', object({ a: { type: 'array', items: object({ b: text }, CLOSED) } }), 'optional'],
    [
      'an item beyond the last',
      'a[1]',
      object({ a: { type: 'array', prefixItems: [text], items: false } }),
      'closed@1',
    ],
    [
      'a member by reference',
      'a.b',
      { $defs: { d: object({ b: text }, CLOSED) }, ...object({ a: { $ref: '#/$defs/d' } }) },
      'optional',
    ],
    [
      'a lie by reference',
      'a.c',
      { $defs: { d: object({ b: text }, CLOSED) }, ...object({ a: { $ref: '#/$defs/d' } }) },
      'closed@1',
    ],
    ['one of two branches', 'a', { oneOf: [object({ a: text }, CLOSED), object({ b: text }, CLOSED)] }, 'optional'],
    ['none of two branches', 'c', { oneOf: [object({ a: text }, CLOSED), object({ b: text }, CLOSED)] }, 'closed@0'],
    ['one part of a whole', 'a', { allOf: [object({ a: text }), { required: ['a'] }] }, 'required'],
    [
      'what one part of a whole forbids',
      'b',
      { allOf: [object({ a: text }, CLOSED), object({ b: text })] },
      'closed@0',
    ],
    ['a member under a condition', 'b', { ...object({ a: text }), else: object({ b: text }) }, 'optional'],
    ['unevaluated members of a plain schema', 'b', object({ a: text }, { unevaluatedProperties: false }), 'closed@0'],
    [
      'unevaluated members beside a part',
      'b',
      { allOf: [object({ b: text })], unevaluatedProperties: false },
      'optional',
    ],
    ['a schema that refers to itself', 'a.a.a', object({ a: { $ref: '#' } }, CLOSED), 'optional'],
    ['a lie in a schema that refers to itself', 'a.a.b', object({ a: { $ref: '#' } }, CLOSED), 'closed@2'],
  ])('%s: %s', (_what, path, schema, expected) => {
    expect(wordFor(schema, path)).toBe(expected);
  });

  it('claims nothing of a schema that is built to take long', () => {
    let reads = 0;
    const reference = {
      get $ref(): string {
        reads++;
        return '#';
      },
    };
    const wide = { anyOf: Array.from({ length: 50 }, () => reference) };
    expect(wordFor({ ...wide, ...object({ a: text }) }, 'b')).not.toMatch(/closed/);
    expect(reads).toBeGreaterThan(1_000);
    // Without its bound of 20,000 nodes a walk would follow 50 references at each of 200 levels.
    expect(reads).toBeLessThanOrEqual(2 * 20_000);
  });
});
