import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { plainMessages } from '../../../domain/json-schema/schema-messages.ts';

const schema = z.strictObject({
  name: z.string().min(3).max(5),
  tag: z.string().min(1),
  count: z.int().min(1).max(9),
  ratio: z.number(),
  page: z.coerce.number().int(),
  outcome: z.enum(['succeeded', 'failed']),
  kind: z.literal('only'),
  list: z.array(z.string()).min(2).max(3),
  url: z.url(),
  at: z.iso.datetime(),
  on: z.boolean(),
  labels: z.record(z.string(), z.string()),
  either: z.union([z.string(), z.strictObject({ a: z.string() })]),
  own: z.string().regex(/^x/, 'must begin with x'),
});

function messagesOf(value: unknown): Record<string, string> {
  const issues = schema.safeParse(value, { error: plainMessages }).error?.issues ?? [];
  return Object.fromEntries(issues.map(({ path, message }) => [path.join('.'), message]));
}

describe('the messages of a schema', () => {
  test('say that what is missing is required', () => {
    const messages = messagesOf({});
    const { page, ...missing } = messages;
    expect(page).toBe('must be a number'); // the text of a query parameter is converted to a number before it is checked
    expect(Object.keys(missing)).toHaveLength(Object.keys(schema.shape).length - 1);
    expect(new Set(Object.values(missing))).toEqual(new Set(['is required']));
  });

  test('say what a value must be', () => {
    const wrong = {
      name: 'ab',
      tag: '',
      count: 0,
      ratio: '1',
      page: 'x',
      outcome: 'maybe',
      kind: 'other',
      list: ['a'],
      url: 'x',
      at: 'today',
      on: 1,
      labels: { a: 1 },
      either: 5,
      own: 'abc',
    };
    expect(messagesOf(wrong)).toEqual({
      name: 'must have at least 3 characters',
      tag: 'must have at least 1 character',
      count: 'must be at least 1',
      ratio: 'must be a number',
      page: 'must be a number',
      outcome: 'must be one of succeeded, failed',
      kind: 'must be only',
      list: 'must have at least 2 items',
      url: 'must be a URL',
      at: 'must be a time such as 2026-01-31T12:00:00.000Z',
      on: 'must be true or false',
      'labels.a': 'must be a string',
      either: 'is of no kind that is taken here',
      own: 'must begin with x',
    });
    expect(messagesOf({ ...wrong, name: 'abcdefg', count: 1.5, list: 5, labels: [], on: null })).toMatchObject({
      name: 'must have at most 5 characters',
      count: 'must be an integer',
      list: 'must be an array',
      labels: 'must be an object such as {"name":"value"}',
      on: 'must be true or false',
    });
  });
});
