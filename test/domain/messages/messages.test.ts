import { describe, expect, test } from 'vitest';
import {
  destinationUrlIssue,
  headerIssues,
  isSensitiveHeader,
  parseDelaySeconds,
} from '../../../domain/messages/request.ts';
import { backOffMs, nextAttemptDelayMs } from '../../../domain/messages/retry.ts';
import { ExpressionError } from '../../../domain/cel/tree.ts';
import { retryDelaysMs } from '../../../domain/messages/retry-expression.ts';
import { newSigningSecret, shownSecretPrefix, signatureHeader } from '../../../domain/messages/signing.ts';

const DAY_MS = 86_400_000;
const failed = {
  attempts: 1,
  maxRetries: 5,
  retryDelaysMs: null,
  responseStatus: 500,
  retryAfter: null,
  lost: 0,
  isLost: false,
  blocked: false,
};

describe('the retry schedule', () => {
  test('is min(24 h, e^(2.5 n) s), ±20 %', () => {
    const seconds = [1, 2, 3, 4, 5, 20].map((n) => Math.round(backOffMs(n, 0.5) / 1_000));
    expect(seconds).toEqual([12, 148, 1_808, 22_026, 86_400, 86_400]);
    expect([backOffMs(5, 0), backOffMs(5, 0.999_999_999)]).toEqual([DAY_MS * 0.8, DAY_MS * 1.2]);
  });

  test('has as many retries as were asked for', () => {
    expect(nextAttemptDelayMs({ ...failed, attempts: 5 }, 0, 0.5)).toBe(DAY_MS);
    expect(nextAttemptDelayMs({ ...failed, attempts: 6 }, 0, 0.5)).toBeNull();
    expect(nextAttemptDelayMs({ ...failed, maxRetries: 0 }, 0, 0.5)).toBeNull();
    expect(nextAttemptDelayMs({ ...failed, retryDelaysMs: [7, 8] }, 0, 0.5)).toBe(7);
  });

  test('does not count up to three attempts that were lost with their worker', () => {
    const once = { ...failed, maxRetries: 0 };
    const lostAt = (attempts: number) =>
      nextAttemptDelayMs({ ...once, attempts, lost: attempts, isLost: true }, 0, 0.5);
    expect([lostAt(1), lostAt(2), lostAt(3), lostAt(4)]).toEqual([1_000, 1_000, 1_000, null]);
    expect(nextAttemptDelayMs({ ...once, attempts: 2, lost: 1 }, 0, 0.5)).toBeNull();
    // The second answer of three attempts: its delay is that before the second retry.
    const answered = { ...failed, attempts: 3, lost: 1, maxRetries: 2, retryDelaysMs: [7, 8] };
    expect(nextAttemptDelayMs(answered, 0, 0.5)).toBe(8);
    expect(nextAttemptDelayMs({ ...answered, attempts: 4 }, 0, 0.5)).toBeNull();
    expect(nextAttemptDelayMs({ ...answered, isLost: true }, 0, 0.5)).toBe(1_000);
  });

  test.each([410, 489])('is ended by %i', (responseStatus) => {
    expect(nextAttemptDelayMs({ ...failed, responseStatus }, 0, 0.5)).toBeNull();
  });

  test('waits at least as long as Retry-After asks, on 429 and 503, up to 24 hours', () => {
    const delay = (responseStatus: number, retryAfter: string): number | null =>
      nextAttemptDelayMs({ ...failed, responseStatus, retryAfter, retryDelaysMs: [1_000] }, 0, 0.5);
    expect([delay(429, '60'), delay(503, '60'), delay(500, '60')]).toEqual([60_000, 60_000, 1_000]);
    expect([delay(429, '0'), delay(429, '999999'), delay(429, 'soon')]).toEqual([1_000, DAY_MS, 1_000]);
    expect(delay(429, 'Thursday, 01-Jan-70 00:01:00 GMT')).toBe(60_000);
  });
});

describe('retryDelay', () => {
  test.each<[string, number[]]>([
    ['1000', [1_000, 1_000, 1_000]],
    ['1000 * (1 + retried)', [1_000, 2_000, 3_000]],
    ['pow(2, retried) * 1000', [1_000, 2_000, 4_000]],
    ['min(1500.5, 1000.0 * exp(retried))', [1_000, 1_501, 1_501]],
    ['retried == 0 ? 5 : max(retried, 2)', [5, 2, 2]],
    ['-1 * -retried', [0, 1, 2]],
    ['pow(10, 300)', [DAY_MS, DAY_MS, DAY_MS]],
  ])('%s', (expression, delays) => {
    expect(retryDelaysMs(expression, 3)).toEqual(delays);
  });

  test.each([
    ['', /CEL/],
    ['1 +', /CEL/],
    ['"a"', /numbers only/],
    ['retried.size', /retried and the functions/],
    ['[1][0]', /may not use|retried and the functions/],
    ['{"a": 1}.a', /retried and the functions/],
    ['[1, 2].map(x, x)', /retried and the functions/],
    ['timestamp("2020-01-01T00:00:00Z")', /may not use timestamp/],
    ['retried % 2', /may not use/],
    ['0 / 0', /milliseconds from 0/],
    ['1 - retried * 9', /retried = 1/],
    ['true', /milliseconds from 0/],
    ['retried ? 1 : 2', /number for retried = 0/],
    [`1${' + 1'.repeat(60)}`, /at most 200/],
  ])('refuses %s', (expression, message) => {
    expect(() => retryDelaysMs(expression, 3)).toThrow(message);
    expect(() => retryDelaysMs(expression, 3)).toThrow(ExpressionError);
  });

  test('is parsed in no time however deep it nests', () => {
    expect(retryDelaysMs(`${'('.repeat(99)}1${')'.repeat(99)}`, 1)).toEqual([1]);
  });
});

describe('what a publisher may send', () => {
  test.each(['https://example.com', 'http://[2001:db8::1]:8080/a?b=%20#c', 'https://EXAMPLE.com/~a;b=1/(c)'])(
    '%s',
    (url) => {
      expect(destinationUrlIssue(url)).toBeNull();
    },
  );

  test.each([
    'https://',
    'example.com',
    'https://a b/',
    'https://a/ü',
    'https://a/[',
    'https://a/%2',
    'https://u@a/',
    'file:///etc',
    'https://a/{b}',
    `https://a/${'x'.repeat(2_048)}`,
  ])('not %s', (url) => {
    expect(destinationUrlIssue(url)).not.toBeNull();
  });

  test.each<[string, number | null]>([
    ['1d10h30m', 124_200],
    ['50s', 50],
    ['0s', 0],
    ['365d', 31_536_000],
    ['366d', null],
    ['1h1d', null],
    ['', null],
    ['1.5h', null],
    ['10', null],
  ])('the duration %s is %s seconds', (text, seconds) => {
    expect(parseDelaySeconds(text)).toBe(seconds);
  });

  test('headers that the service sets, and such as no header can carry, are refused', () => {
    const headers = {
      'webhook-id': 'a',
      'X-Service-Attempt': '1',
      Host: 'x',
      'X-Ok': 'ok',
      'X-Bad': 'a\nb',
      'X Y': 'a',
      'x-ok': '2',
    };
    expect(headerIssues(headers).map(({ name }) => name)).toEqual([
      'webhook-id',
      'X-Service-Attempt',
      'Host',
      'X-Bad',
      'X Y',
      'x-ok',
    ]);
  });

  test('headers of credentials are known by name', () => {
    const credentials = [
      'Authorization',
      'cookie',
      'Set-Cookie',
      'X-Api-Key',
      'apikey',
      'X-Auth-Token',
      'Ocp-Apim-Subscription-Key',
      'X-Client-Secret',
    ];
    expect(credentials.filter((name) => !isSensitiveHeader(name))).toEqual([]);
    expect(['Content-Type', 'X-Trace', 'Idempotency-Key', 'X-Page-Token'].filter(isSensitiveHeader)).toEqual([]);
  });
});

describe('signatures', () => {
  test('are those of the specifications, for a fixed delivery', () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    // v1: the example of the Standard Webhooks specification.
    const header = signatureHeader([secret], {
      messageId: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      timestampSeconds: 1_614_265_330,
      environmentId: '00000000-0000-7000-8000-000000000001',
      body: '{"test": 2432232314}',
    });
    const [v1, v2, ...others] = header.split(' ');
    expect([v1, others]).toEqual(['v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=', []]);
    expect(v2).toMatch(/^v2,[A-Za-z0-9+/]{43}=$/);
  });

  test('secrets are 32 random bytes, and a listing shows little of them', () => {
    const secret = newSigningSecret();
    expect(Buffer.from(secret.replace('whsec_', ''), 'base64')).toHaveLength(32);
    expect(shownSecretPrefix(secret)).toHaveLength(10);
  });
});
