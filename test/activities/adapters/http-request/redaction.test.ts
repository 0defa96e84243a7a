import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { readResponse } from '../../../../activities/adapters/http-request/read-response.ts';
import { createRedactor } from '../../../../activities/adapters/http-request/redaction.ts';
import { startTarget } from '../../../harness/target.ts';
import { answered, dispatch } from './calls.ts';

const target = await startTarget();

const SECRETS = ['sk_live_51HxQz', 'p&ss "w<o>rd" /+=\\%', 'grün☃key', 'abcd', '12345678'];
const ENCODINGS = [
  'text',
  'json',
  'unicode',
  'percent',
  'form',
  'hex',
  'base64',
  'base64-1',
  'base64-2',
  'base64-user',
  'html',
];

/** The forms of a secret in the text from which a reader could recover it. */
function leaks(secret: string, text: string): string[] {
  const bytes = Buffer.from(secret);
  const forms = [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    bytes.toString('hex'),
    ...['', 'u', 'me'].map((before) => {
      const encoded = Buffer.from(before + secret).toString('base64');
      return encoded.slice(
        before.length === 0 ? 0 : before.length + 1,
        Math.floor(((before.length + bytes.length) * 8) / 6),
      );
    }),
  ];
  return forms.filter((form) => text.includes(form));
}

const HEADER_SAFE = SECRETS.filter((secret) => /^[\x20-\x7e]*$/.test(secret));

const echo = (secret: string, encoding: string) =>
  answered({
    config: { url: `${target.baseUrl}/echo-secret?as=${encoding}`, headers: { Authorization: 'Bearer {{secret:K}}' } },
    secrets: { K: secret },
  });
/** A body that was stored as base64, as Latin-1 characters. */
const bytesOf = (body: unknown): string =>
  typeof body === 'string' ? Buffer.from(body, 'base64').toString('latin1') : 'no text';

describe.each(HEADER_SAFE)('an echo of the secret %j', (secret) => {
  it.each(ENCODINGS)('as %s holds nothing of it, in body and headers', async (encoding) => {
    const { response } = await echo(secret, encoding);
    expect(response.headers).not.toHaveProperty('set-cookie');
    expect(leaks(secret, JSON.stringify(response))).toEqual([]);
    expect(response.body).toContain('[REDACTED]');
    expect(response.headers['x-echo']).toContain('[REDACTED]');
  });

  it('as UTF-16 holds nothing of it', async () => {
    const { response } = await echo(secret, 'utf16');
    expect(bytesOf(response.body)).toBe('\xff\xfe[REDACTED]');
  });
});

describe.each(SECRETS)('the secret %j', (secret) => {
  it('is removed from a text in any of its forms', () => {
    const text = createRedactor([secret]).text(`a ${secret} ${JSON.stringify(secret)} ${encodeURIComponent(secret)} z`);
    expect(leaks(secret, text)).toEqual([]);
    expect(text).toMatch(/^a \[REDACTED\] .* z$/);
  });

  it('is removed from a JSON echo, which stays JSON', async () => {
    const { response, outcome } = await answered({
      config: {
        url: `${target.baseUrl}/echo`,
        body: { token: '{{secret:K}}', in: 'x{{secret:K}}y' },
        query: { q: '{{secret:K}}' },
      },
      secrets: { K: secret },
    });
    expect(outcome).toBe('succeeded');
    expect(response.bodyEncoding).toBe('json');
    expect(leaks(secret, JSON.stringify(response))).toEqual([]);
  });
});

it('takes a number for the text that it is', async () => {
  const base64 = Buffer.from('{"pin":12345678,"12345678":[{"n":1.5}]}').toString('base64');
  const { response, outcome } = await answered({
    config: { url: `${target.baseUrl}/raw?type=application/json&base64=${base64}`, headers: { A: '{{secret:PIN}}' } },
    secrets: { PIN: '12345678' },
  });
  expect(outcome).toBe('succeeded');
  expect(response.body).toEqual({ pin: '[REDACTED]', '[REDACTED]': [{ n: 1.5 }] });
});

it('cleans what is malformed, what is binary, and what a compressed body hides', async () => {
  const config = (path: string) => ({
    url: `${target.baseUrl}${path}`,
    headers: { Authorization: 'Bearer {{secret:K}}' },
  });
  const K = 'sk_live_51HxQz';
  const broken = Buffer.from(`{"a": "${K}", `).toString('base64');
  const malformed = await answered({
    config: config(`/raw?type=application/json&base64=${encodeURIComponent(broken)}`),
    secrets: { K },
  });
  expect(malformed).toMatchObject({ outcome: 'unknown', response: { body: '{"a": "[REDACTED]", ' } });
  const bytes = Buffer.concat([Buffer.from([0xff, 0xfe, 0x00]), Buffer.from(K)]).toString('base64');
  const binary = await answered({
    config: config(`/raw?type=image/png&base64=${encodeURIComponent(bytes)}`),
    secrets: { K },
  });
  expect(bytesOf(binary.response.body)).toBe('\xff\xfe\x00[REDACTED]');
  expect((await answered({ config: config('/gzip'), secrets: { K } })).response.body).toBeNull();
});

it('cleans the reasons of failures', async () => {
  const result = await dispatch({
    config: { url: 'http://sk-live-51hxqz.invalid/', headers: { A: '{{secret:K}}' } },
    secrets: { K: 'sk-live-51hxqz' },
  });
  expect(result).toMatchObject({ kind: 'not_sent', reason: expect.stringContaining('[REDACTED]') as string });
  expect(JSON.stringify(result)).not.toContain('sk-live-51hxqz');
});

describe('a short secret', () => {
  it('is removed where it stands alone, and does not shred the rest', () => {
    const { text } = createRedactor(['abc', '7']);
    expect(text('key=abc&n=7; "abc" abcd xabc 77 a7')).toBe(
      'key=[REDACTED]&n=[REDACTED]; "[REDACTED]" abcd xabc 77 a7',
    );
  });
});

describe('a redactor', () => {
  it('removes the longer of two secrets first, and none where there are none', () => {
    expect(createRedactor(['secret', 'secret-long']).text('secret-long secret')).toBe('[REDACTED] [REDACTED]');
    expect(createRedactor(['', '  ']).text('a b c')).toBe('a b c');
  });

  it('knows the parts of a secret that is a JSON document, and a secret that was trimmed', () => {
    const document = JSON.stringify({ type: 'x', private_key: '-----BEGIN KEY-----\nMIIabc/+\n-----END KEY-----\n' });
    const { text, json } = createRedactor([document, ' padded-token \n']);
    expect(text(document)).toBe('[REDACTED]');
    expect(JSON.stringify(json(JSON.parse(document)))).not.toContain('MIIabc');
    expect(text('got padded-token.')).toBe('got [REDACTED].');
  });
});

describe('a credential that is long', () => {
  const LONG = randomBytes(2_250).toString('base64');
  const TOO_LONG = LONG.repeat(21); // the vault accepts up to 64 KiB

  it('of some kilobytes is removed from its echo, whole and in part', () => {
    const { text, canSearch } = createRedactor([LONG]);
    expect(canSearch).toBe(true);
    expect(text(`<${LONG}>`).replaceAll('[REDACTED]', '')).toBe('<>');
    expect(text(`<${Buffer.from(LONG).toString('base64')}>`).replaceAll('[REDACTED]', '')).toBe('<>');
    expect(leaks(LONG.slice(1_000, 2_000), text(encodeURIComponent(LONG)))).toEqual([]);
  });

  it('that is too long to be looked for leaves the status alone, and is no unknown', async () => {
    const result = await answered({
      config: { method: 'POST', url: `${target.baseUrl}/echo`, body: '{{secret:K}}' },
      secrets: { K: TOO_LONG },
    });
    expect(result).toMatchObject({ outcome: 'succeeded', response: { status: 200, headers: {}, body: '[REDACTED]' } });
  });
});

it.each(['sk_live_ABCdef', 'KEY-LOWER-case'])('a credential whose case was changed is removed: %s', (secret) => {
  const { text } = createRedactor([secret]);
  expect(text(`x-${secret.toLowerCase()}`)).toBe('x-[REDACTED]');
  expect(text(secret.toUpperCase())).toBe('[REDACTED]');
});

it.each(['1234567890123456789', '12345.67890', '1234567e2'])(
  'a credential that a target echoes as a JSON number leaves no rounded form: %s',
  async (secret) => {
    const raw = {
      status: 200,
      headers: [['content-type', 'application/json']] as [string, string][],
      body: Buffer.from(`{"n": ${secret}, "text": "9007199254740993"}`),
    };
    const { response } = await readResponse(raw, [secret]);
    expect(response.body).toEqual({ n: '[REDACTED]', text: '9007199254740993' });
  },
);

it('an answer of numbers that would be stored at fifty times their length is kept as text', async () => {
  const answer = (count: number): string => JSON.stringify({ n: Array.from({ length: count }, () => 1e308) });
  const keptOf = (body: string) =>
    readResponse({ status: 200, headers: [['content-type', 'application/json']], body: Buffer.from(body) }, []);
  expect(await keptOf(answer(100))).toMatchObject({ response: { body: { n: { length: 100 } }, bodyEncoding: 'json' } });
  const large = answer(100_000);
  expect(await keptOf(large)).toEqual({
    response: expect.objectContaining({ body: large, bodyEncoding: 'utf8' }),
    unreadable: null,
  });
});
