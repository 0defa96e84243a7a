import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { parseJsonText } from '../../../api/http/json-text.ts';
import { growthOfNumber, jsonBytes, NUMBERS_GROWTH_BYTES_MAX } from '../../../domain/json.ts';
import { randomFrom } from '../../harness/random.ts';
import { type CallResult, startTestApi } from '../harness/test-api.ts';
import { dataOf, errorOf } from '../invocations/support.ts';

/** PostgreSQL writes a number out: `1e308` of five characters is read back as 309 digits. */
const api = await startTestApi();
const { key } = await api.createKey(api.database.tenant);

const post = (path: string, body: unknown): Promise<CallResult> => api.call('POST', `/api/v2${path}`, { key, body });

const LARGE = 1e308;
const SMALL = 5e-324;
const many = (number: number, count: number): number[] => Array.from({ length: count }, () => number);

test('numbers are counted as PostgreSQL writes them', async () => {
  const random = randomFrom(21);
  const bits = new DataView(new ArrayBuffer(8));
  const anyDouble = (): number => {
    for (let at = 0; at < 8; at++) bits.setUint8(at, Math.floor(random() * 256));
    return Number.isFinite(bits.getFloat64(0)) ? bits.getFloat64(0) : 0;
  };
  const edges = [0, -0, 7, -1.5, LARGE, SMALL, -SMALL, 1e21, -1e21, 1e20, 1e-6, 1e-7, -1.25e-7, Number.MAX_VALUE];
  const numbers = [...edges, ...Array.from({ length: 2_000 }, anyDouble)];
  const written = await api.database.asOwner<{ bytes: number }>(
    'SELECT octet_length(CAST(value AS text)) AS bytes FROM jsonb_array_elements(CAST($1 AS jsonb)) WITH ORDINALITY AS n (value, at) ORDER BY at',
    [JSON.stringify(numbers)],
  );
  expect(numbers.map((number) => jsonBytes(number))).toEqual(written.map(({ bytes }) => bytes));
  // PostgreSQL has a space after each comma and colon.
  expect(jsonBytes({ a: undefined, b: [LARGE, { c: SMALL }], d: '1e+308' })).toBe(
    '{"b":[,{"c":}],"d":"1e+308"}'.length + 309 + 326,
  );
  expect(growthOfNumber(1e5, '1e5')).toBe(3);
});

describe('a text of JSON', () => {
  const issueOf = (text: string): string => {
    try {
      parseJsonText(text);
      return 'none';
    } catch (error) {
      return JSON.stringify((error as { details?: unknown }).details);
    }
  };
  const most = Math.floor(NUMBERS_GROWTH_BYTES_MAX / 304);

  test.each([
    ['numbers that grow by as much as they may', `[${many(LARGE, most).map(() => '1e308')}]`],
    ['the same after a million plain ones', `[${many(7, 400_000)},${many(LARGE, most).map(() => '1e308')}]`],
    ['such numbers within strings', JSON.stringify(many(LARGE, 10_000).map(String))],
  ])('with %s is read', (_what, text) => {
    expect(issueOf(text)).toBe('none');
  });

  test.each(['1e308', '1E308', '-1.0e+308', '5e-324', '123.456e-200', '1e20'])('full of %s is refused', (number) => {
    const text = `{"input":[${Array.from({ length: 120_000 }, () => number)}]}`;
    expect(issueOf(text)).toContain('has numbers with exponents');
  });
});

describe('a request whose limits are kept only by writing numbers short is a 400:', () => {
  const filled = (bytesMax: number): number[][] => [
    many(LARGE, Math.floor(bytesMax / 7) - 30),
    many(SMALL, Math.floor(bytesMax / 7) - 30),
  ];

  test.each<[string, string, (numbers: number[]) => unknown, number]>([
    ['the input of a run', '/runs', (input) => ({ name: 'a run', input }), 1_000_000],
    ['the output of a model', '/cache', (response) => ({ prompt: 'a prompt', model: 'gpt', response }), 262_144],
    ['metadata of a session', '/sessions', (n) => ({ name: 's', metadata: { n } }), 16_384],
    ['metadata of a file', '/files/presign', (n) => ({ filename: 'a', size: 1, metadata: { n } }), 16_384],
  ])('%s', async (_what, path, bodyOf, bytesMax) => {
    for (const numbers of filled(bytesMax)) {
      const reply = await post(path, bodyOf(numbers));
      expect([reply.status, errorOf(reply).code]).toEqual([400, 'VALIDATION_ERROR']);
    }
    const few = await post(path, bodyOf([LARGE, SMALL]));
    expect([few.status, few.text]).toEqual([201, few.text]);
  });

  test('arguments of a call in a message, and attributes of a span', async () => {
    const { id: session } = dataOf(await post('/sessions', { name: 'another' }), z.object({ id: z.string() }));
    const { id: run } = dataOf(await post('/runs', { name: 'a run' }), z.object({ id: z.string() }));
    const sendCall = (n: number[]): Promise<CallResult> =>
      post(`/sessions/${session}/messages`, {
        messages: [{ role: 'assistant', content: '', toolCalls: [{ id: 'c1', name: 'sum', arguments: { n } }] }],
      });
    const sendSpan = (n: number[]): Promise<CallResult> =>
      post(`/runs/${run}/spans`, { spans: [{ id: 'b'.repeat(16), name: 'a span', output: { n } }] });
    for (const numbers of filled(65_536)) {
      for (const reply of [await sendCall(numbers), await sendSpan(numbers)]) {
        expect([reply.status, errorOf(reply).code]).toEqual([400, 'VALIDATION_ERROR']);
      }
    }
    for (const reply of [await sendCall([LARGE]), await sendSpan([LARGE])]) expect(reply.status).toBeLessThan(300);
  });
});
