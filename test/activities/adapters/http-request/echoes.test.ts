import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { RawResponse } from '../../../../activities/adapters/http-request/exchange.ts';
import { readResponse } from '../../../../activities/adapters/http-request/read-response.ts';
import { createRedactor } from '../../../../activities/adapters/http-request/redaction.ts';
import type { Sent } from '../../../../activities/adapters/http-request/send-request.ts';
import { readAnswer } from '../../../../activities/messages/read-answer.ts';
import { RESPONSE_READ_BYTES_MAX } from '../../../../domain/messages/messages.ts';

const SECRET = 'sk_live_51HxQzAbCdEf0123456789';

/** The stored part of a body, as Latin-1 characters if it is stored as bytes. */
async function kept(secrets: string[], body: Buffer, contentType = 'application/octet-stream'): Promise<string> {
  const raw: RawResponse = { status: 200, headers: [['content-type', contentType]], body };
  const { response } = await readResponse(raw, secrets);
  if (response.bodyEncoding === 'base64' && typeof response.body === 'string') {
    return Buffer.from(response.body, 'base64').toString('latin1');
  }
  return JSON.stringify(response.body);
}

describe('an echo in UTF-16', () => {
  const little = Buffer.from(`you sent ${SECRET}.`, 'utf16le');
  it.each([
    ['little-endian', little],
    ['big-endian', Buffer.from(little).swap16()],
    ['little-endian with a mark', Buffer.concat([Buffer.from([0xff, 0xfe]), little])],
    ['big-endian with a mark', Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(little).swap16()])],
  ])('%s holds nothing of it', async (_, body) => {
    const text = (await kept([SECRET], body)).replaceAll('\u0000', '').replaceAll('\\u0000', '');
    expect(text).toContain('REDACTED');
    expect(text).not.toContain('51HxQz');
  });
});

describe('the parts of a Basic credential', () => {
  const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`;
  const echo = (secret: string, text: string) => createRedactor([secret]).text(text);

  it('are removed: password, user, both', () => {
    const secret = basic('billing-service:hunter2-long');
    expect(echo(secret, 'no such user billing-service')).toBe('no such user [REDACTED]');
    expect(echo(secret, 'wrong: hunter2-long')).toBe('wrong: [REDACTED]');
    expect(echo(secret, 'got billing-service:hunter2-long')).toBe('got [REDACTED]');
    expect(echo(secret.slice('Basic '.length), 'wrong: hunter2-long')).toBe('wrong: [REDACTED]');
  });

  it('are removed where they are too short to have parts, and where only the whole of them is found', () => {
    expect(echo(basic('billing-service:pw4711'), 'wrong: pw4711')).toBe('wrong: [REDACTED]');
    const spelled = '\\u0062illing%2Dservice'; // two escapes in one word: no part of eight characters is left
    expect(echo(basic('billing-service:pw4711'), `no such user ${spelled}`)).toBe('no such user [REDACTED]');
  });

  it('leave common text alone: a short user name, base64 that is none', () => {
    expect(echo(basic('admin:hunter2-long'), 'admin may not')).toBe('admin may not');
    expect(echo('abcdefghijklmnop', 'nothing of it')).toBe('nothing of it');
  });
});

describe('base64 that is broken in lines', () => {
  const encoded = (before: string, after: string) =>
    Buffer.from(`${before}${SECRET}${after}`).toString('base64').replaceAll('=', '');
  it.each(['', 'u', 'us', 'user:'])('is removed, behind %j', (before) => {
    for (const [width, end] of [
      [76, '\r\n'],
      [10, '\n'],
      [4, '\n \t'],
      [1, ' '],
      [10, '\\r\\n'],
    ] as const) {
      const text = encoded(before, '.').replace(new RegExp(`.{${width}}`, 'g'), `$&${end}`);
      const cleaned = createRedactor([SECRET]).text(`-- ${text} --`);
      expect(cleaned).toMatch(/^-- [^]*\[REDACTED\]/);
      const rest = Buffer.from(cleaned.replaceAll('[REDACTED]', '').replace(/[^A-Za-z0-9+/]|\\[rn]/g, ''), 'base64');
      expect(rest.byteLength).toBeLessThan(12);
    }
  });

  it('leaves what stands around it', () => {
    const blocks = Buffer.from('x'.repeat(57)).toString('base64');
    const text = `${blocks}\r\n${encoded('', '')}\r\n-- end`;
    expect(createRedactor([SECRET]).text(text)).toMatch(new RegExp(`^${blocks}\r\n.*-- end$`, 's'));
  });
});

describe('a part of a secret', () => {
  const text = (secret: string, echo: string) => createRedactor([secret]).text(echo);
  const ENCODINGS: [string, (value: string) => string][] = [
    ['as it is', (value) => value],
    ['in another case', (value) => value.replace(/[a-z]+/g, (letters) => letters.toUpperCase())],
    ['percent-encoded', encodeURIComponent],
    ['in JSON', (value) => JSON.stringify(value).slice(1, -1)],
    ['in hex', (value) => Buffer.from(value).toString('hex')],
    ['in base64', (value) => Buffer.from(value).toString('base64').replaceAll('=', '')],
    ['in base64url', (value) => Buffer.from(value).toString('base64url')],
  ];
  it.each(ENCODINGS)('%s is removed from 12 characters on, wherever in the secret it stands', (_, encode) => {
    for (const secret of [SECRET, 'q"1/ü+?>~~>?&%zz9"8\\7é']) {
      for (const part of [secret.slice(0, 12), secret.slice(0, -1), secret.slice(-12), secret.slice(4, 17), secret]) {
        expect(text(secret, `<i>${encode(part)}</i>`)).toBe('<i>[REDACTED]</i>');
      }
    }
  });

  it('of fewer characters is left', () => {
    const echo = `${SECRET.slice(0, 11)} ${SECRET.slice(-11)} ${SECRET.slice(7, 18)}`;
    expect(text(SECRET, echo)).toBe(echo);
  });

  it('is removed as far as it goes, also where a secret repeats itself', () => {
    const secret = 'abcabcabcabcX-abcabcabcabcY';
    expect(text(secret, '<abcabcabcabcabcabcX-abcab>')).toBe('<[REDACTED]>');
    expect(text(secret, '<abcabcabcabcabcabcabcY>')).toBe('<[REDACTED]>');
    expect(text('aaaaaaaaaaaaaaab', `<${'a'.repeat(1_000)}>`)).toBe('<[REDACTED]>');
  });

  it('in UTF-16 is removed from the bytes', async () => {
    const half = Buffer.from(SECRET.slice(0, 15), 'utf16le');
    for (const body of [half, Buffer.from(half).swap16()]) {
      const cleaned = await createRedactor([SECRET]).bytes(Buffer.concat([Buffer.from('<'), body]));
      expect(cleaned.toString()).toBe('<[REDACTED]');
    }
  });

  it.each([
    ['https://hooks.example/T0/B0/XyZ', 'see https://docs.example/ and http://a.example/'],
    ['Bearer sk_live_51HxQz', 'Bearer sales are up'],
    ['{"type":"service_account","k":"0123456789abcdef0123"}', '{"type":"service_desk"}'],
    [
      '-----BEGIN PRIVATE KEY-----\nMIIabcdefgh\n-----END PRIVATE KEY-----',
      '-----BEGIN PRIVATE MESSAGE-----END PRIVATE',
    ],
  ])('is no part where it is common to all of its kind: %s', (secret, echo) => {
    expect(text(secret, echo)).toBe(echo);
  });

  it('counts from behind what is common', () => {
    expect(text('https://hooks.example/T0/B0/XyZ', 'at hooks.example/T0')).toBe('at [REDACTED]');
    expect(text('https://hooks.example/T0/B0/XyZ', 'no le/T0/B0/XyZ')).toBe('no [REDACTED]');
    expect(text('-----BEGIN KEY-----\nMIIabcdefghijkl\n-----END KEY-----\n', 'got MIIabcdefghi')).toBe(
      'got [REDACTED]',
    );
    expect(text('{"k":"0123456789abcdef0123"}', 'not 0123456789ab')).toBe('not [REDACTED]');
  });
});

describe('a value that the cap cuts off', () => {
  const { bytes } = createRedactor([SECRET]);
  const cut = async (text: string, isCutOff = true) => (await bytes(Buffer.from(text), isCutOff)).toString();

  it('is removed from 4 characters on, in any encoding', async () => {
    for (let length = 4; length <= SECRET.length; length++) {
      expect(await cut(`sent ${SECRET.slice(0, length)}`)).toBe('sent [REDACTED]');
    }
    expect(await cut(`sent ${Buffer.from(SECRET).toString('hex').slice(0, 13)}`)).toBe('sent [REDACTED]');
    expect(await cut(`sent ${Buffer.from(SECRET).toString('base64').slice(0, 6)}`)).toBe('sent [REDACTED]');
  });

  it('is left where nothing was cut off, or fewer characters stand there', async () => {
    expect(await cut('sent sk_live', false)).toBe('sent sk_live');
    expect(await cut('sent sk_')).toBe('sent sk_');
  });

  it('is removed from what is kept of a delivery', async () => {
    // Enough echoes of a long secret that, once they are replaced, everything read fits into the stored size.
    const secret = `sk_live_${randomBytes(500).toString('hex')}`;
    const last = secret.slice(0, 6);
    const echoes = `${secret}\n`.repeat(70).slice(0, 60 * (secret.length + 1));
    const body = Buffer.from(`${echoes.padStart(RESPONSE_READ_BYTES_MAX - last.length, '-')}${last}`);
    const sent: Sent = { kind: 'response', response: { status: 200, headers: [], body } };
    const { seen: answer } = await readAnswer(sent, [secret]);
    const seen = answer.body?.toString() ?? '';
    expect(seen).toContain('REDACTED');
    expect(seen).not.toContain('sk_l');
  });
});
