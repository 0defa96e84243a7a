import { describe, expect, it } from 'vitest';
import { judgeStatus } from '../../domain/response-judgement.ts';

const outcome = (status: number, success?: (number | string)[], failure?: (number | string)[]): string =>
  judgeStatus(status, { success, failure }).outcome;

describe('without lists', () => {
  it.each([200, 201, 202, 204, 299])('%i succeeded', (status) => {
    expect(judgeStatus(status, {})).toEqual({ outcome: 'succeeded', partialEffect: 'none' });
  });

  it.each([400, 401, 402, 403, 404, 405, 406, 410, 411, 413, 414, 415, 417, 421, 422, 426, 428, 429, 431, 451])(
    '%i was a rejection',
    (status) => {
      expect(judgeStatus(status, {})).toEqual({ outcome: 'failed', partialEffect: 'none' });
    },
  );

  it.each([300, 301, 302, 304, 307, 308, 407, 408, 409, 412, 418, 423, 424, 425, 499, 500, 502, 503, 504, 599])(
    '%i proves nothing',
    (status) => {
      expect(judgeStatus(status, {})).toEqual({ outcome: 'unknown', partialEffect: 'possible' });
    },
  );
});

describe('with lists', () => {
  it('takes only what is listed', () => {
    expect(outcome(200, [201])).toBe('unknown');
    expect(outcome(201, [201])).toBe('succeeded');
    expect(outcome(302, [302])).toBe('succeeded');
    expect(outcome(409, undefined, [409])).toBe('failed');
    expect(outcome(400, undefined, [409])).toBe('unknown');
    expect(outcome(200, undefined, [409])).toBe('succeeded');
    expect(outcome(499, undefined, ['4xx'])).toBe('failed');
  });

  it('lets a code beat a class', () => {
    expect(outcome(304, ['3xx'], [304])).toBe('failed');
    expect(outcome(303, ['3xx'], [304])).toBe('succeeded');
  });
});
