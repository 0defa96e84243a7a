import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { anyJson } from '../../../api/http/common-fields.ts';
import { validatePart } from '../../../api/http/validate-request.ts';
import { ServiceError } from '../../../domain/errors.ts';

const schema = z.strictObject({
  effects: z.array(z.string().min(2)).max(3),
  input: z.record(z.string(), anyJson),
  either: z.union([z.string().min(2), z.strictObject({ a: z.int() })]).optional(),
});

function issuesOf(value: unknown): unknown {
  try {
    validatePart('body', schema, value);
  } catch (error) {
    if (error instanceof ServiceError) return error.details?.['issues'];
    throw error;
  }
  return [];
}

test('where an object is expected, its shape is shown', () => {
  const shape = z.strictObject({
    action: z.string(),
    input: z.strictObject({ amount: z.int().min(5) }),
    note: z.string().optional(),
  });
  const message = (value: unknown): string => {
    try {
      validatePart('body', z.strictObject({ of: shape }), value);
    } catch (error) {
      if (error instanceof ServiceError) return error.publicMessage;
      throw error;
    }
    return '';
  };
  expect(message({ of: 'x' })).toBe(
    'The request is not valid: body.of: must be an object such as {"action":"…","input":{"amount":5}}',
  );
  expect(message([])).toBe(
    'The request is not valid: body: must be an object such as {"of":{"action":"…","input":{}}}',
  );
});

describe('the issues that a caller gets for a part of a request', () => {
  test('one issue for a value of the wrong type, and none for the length that it has instead', () => {
    expect(issuesOf({ effects: 'eff_1', input: {} })).toEqual([{ path: 'body.effects', message: 'must be an array' }]);
    expect(issuesOf({ effects: [1, 'x'], input: {} })).toEqual([
      { path: 'body.effects[0]', message: 'must be a string' },
      { path: 'body.effects[1]', message: 'must have at least 2 characters' },
    ]);
  });

  test('a missing member is named as required, and a record is called an object', () => {
    expect(issuesOf({ effects: [] })).toEqual([{ path: 'body.input', message: 'is required' }]);
    expect(issuesOf({ effects: [], input: [] })).toEqual([
      { path: 'body.input', message: 'must be an object such as {"name":"value"}' },
    ]);
  });

  test('the issues of the alternative that was meant', () => {
    const said = (either: unknown): unknown => issuesOf({ effects: [], input: {}, either });
    expect(said('x')).toEqual([{ path: 'body.either', message: 'must have at least 2 characters' }]);
    expect(said({ a: 'x', b: 1 })).toEqual([
      { path: 'body.either.a', message: 'must be a number' },
      { path: 'body.either.b', message: 'is not a known field' },
    ]);
  });
});
