import { describe, expect, it } from 'vitest';
import { closedPartWarnings } from '../../../domain/actions/closed-parts.ts';
import type { JsonObject } from '../../../domain/json.ts';

const closed = (...names: string[]): JsonObject => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, {}])),
  additionalProperties: false,
});
const open = (...names: string[]): JsonObject => ({ ...closed(...names), additionalProperties: true });
const found = (schema: JsonObject, more: JsonObject = {}): [string, string][] =>
  closedPartWarnings({ type: 'object', properties: { v: schema }, ...more }, 'inputSchema').map(({ path, message }) => [
    path,
    message,
  ]);
const NONE = /closed parts that refuse the members of each other/;

describe('closed parts', () => {
  it.each([
    ['by allOf', { allOf: [closed('a'), closed('b')] }],
    ['beside an own closed one', { ...closed('a'), allOf: [closed('b')] }],
    ['beside an open one', { allOf: [closed(), open('a')] }],
    ['by reference', { allOf: [{ $ref: '#/$defs/A' }, { $ref: '#/$defs/B' }] }],
    ['in one more allOf', { allOf: [{ allOf: [closed('a')] }, { allOf: [closed('b')] }] }],
    [
      'by unevaluatedProperties',
      { allOf: [{ ...open('a'), unevaluatedProperties: false, additionalProperties: true }, closed('b')] },
    ],
  ] as [string, JsonObject][])('that take no member are told: %s', (_what, schema) => {
    const $defs = { A: closed('a'), B: closed('b') };
    expect(found(schema, { $defs })).toContainEqual(['inputSchema.properties.v', expect.stringMatching(NONE)]);
  });

  it('that refuse what is required are told', () => {
    const schema = { allOf: [{ ...closed('a', 'id'), required: ['id'] }, closed('a', 'b')] };
    expect(found(schema)).toEqual([
      ['inputSchema.properties.v', 'requires id, which another of its closed parts refuses: no value fits'],
    ]);
  });

  it.each([
    ['share a member', { allOf: [closed('a', 'b'), closed('a')] }],
    ['are alternatives', { anyOf: [closed('a'), closed('b')] }],
    ['are open but the whole', { allOf: [open('a'), open('b')], unevaluatedProperties: false }],
    ['have members by pattern', { allOf: [{ ...closed('a'), patternProperties: { '^b': {} } }, open('b')] }],
    ['describe nothing', { allOf: [closed(), closed()] }],
    ['narrow one member', { allOf: [closed('a'), { properties: { a: { type: 'string' } } }] }],
    ['refer to themselves', { allOf: [{ $ref: '#' }] }],
  ] as [string, JsonObject][])('are in order where they %s', (_what, schema) => {
    expect(found(schema)).toEqual([]);
  });
});
