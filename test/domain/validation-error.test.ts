import { describe, expect, test } from 'vitest';
import { validationError } from '../../domain/errors.ts';

describe('a validation error', () => {
  test('says a hundred issues at most, and of each as much as somebody reads', () => {
    const name = 'x'.repeat(500_000);
    const issues = Array.from({ length: 1_000 }, (_, at) => ({ path: `body.${name}.${at}`, message: `has ${name}` }));
    const { details, publicMessage } = validationError(issues);
    expect(details?.['issues']).toHaveLength(100);
    expect(JSON.stringify(details).length).toBeLessThan(200_000);
    expect(publicMessage.length).toBe(500);
  });

  test('says what is short as it is, with whatever else it holds', () => {
    const issue = { path: 'body.name', message: 'is required', file: 'a.yaml' };
    expect(validationError([issue]).details).toEqual({ issues: [issue] });
  });
});
