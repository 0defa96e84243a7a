import { expect, test } from 'vitest';
import { toServiceError } from '../../../api/http/failures.ts';

test.each([
  ['57014', 'SERVICE_UNAVAILABLE'], // a statement that waited for a lock until statement_timeout
  ['25P03', 'SERVICE_UNAVAILABLE'],
  ['40P01', 'SERVICE_UNAVAILABLE'],
  ['22021', 'INTERNAL_ERROR'],
])('SQLSTATE %s is a %s', (code, expected) => {
  expect(toServiceError(Object.assign(new Error('of PostgreSQL'), { code })).code).toBe(expected);
});
