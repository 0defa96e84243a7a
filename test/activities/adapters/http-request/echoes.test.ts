import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { RawResponse } from '../../../../activities/adapters/http-request/exchange.ts';
import { readResponse } from '../../../../activities/adapters/http-request/read-response.ts';
import { createPartFinder } from '../../../../activities/adapters/http-request/part-finder.ts';
import { createRedactor } from '../../../../activities/adapters/http-request/redaction.ts';
import type { Sent } from '../../../../activities/adapters/http-request/send-request.ts';
import { textNeedles } from '../../../../activities/adapters/http-request/secret-needles.ts';
import { readAnswer } from '../../../../activities/messages/read-answer.ts';
import { RESPONSE_READ_BYTES_MAX } from '../../../../domain/messages/messages.ts';
import { REDACTION } from '../../../harness/redaction.ts';

const SECRET = 'sk_live_51HxQzAbCdEf0123456789';

/** The stored part of a body, as Latin-1 characters if it is stored as bytes. */
function kept(secrets: string[], body: Buffer, contentType = 'application/octet-stream'): string {
  const raw: RawResponse = { status: 200, headers: [['content-type', contentType]], body };
  const { response } = readResponse(raw, createRedactor(secrets));
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
  ])('%s holds nothing of it', (_, body) => {
    const text = kept([SECRET], body).replaceAll('\u0000', '').replaceAll('\\u0000', '');
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
  it.each(ENCODINGS)('%s is removed from 8 characters on, of its beginning and of its end', (_, encode) => {
    for (const secret of [SECRET, 'q"1/ü+?>~~>?&%zz9"8\\7é']) {
      for (const part of [secret.slice(0, 8), secret.slice(0, -1), secret.slice(-8), secret.slice(1), secret]) {
        expect(text(secret, `<i>${encode(part)}</i>`)).toBe('<i>[REDACTED]</i>');
      }
    }
  });

  it('of fewer characters is left, and so is what merely agrees with its middle', () => {
    const echo = `${SECRET.slice(0, 7)} ${SECRET.slice(-7)} ${SECRET.slice(4, -4)}`;
    expect(text(SECRET, echo)).toBe(echo);
  });

  it('is removed as far as it goes, also where a secret repeats itself', () => {
    const secret = 'abcabcabcabcX-abcabcabcY';
    expect(text(secret, '<abcabcabcabcabcabcX-abcab>')).toBe('<[REDACTED]>');
    expect(text(secret, '<abcabcabcabcabcabcabcY>')).toBe('<[REDACTED]>');
    expect(text('aaaaaaaaaaaaaaab', `<${'a'.repeat(1_000)}>`)).toBe('<[REDACTED]>');
  });

  it('in UTF-16 is removed from the bytes', () => {
    const half = Buffer.from(SECRET.slice(0, 15), 'utf16le');
    for (const body of [half, Buffer.from(half).swap16()]) {
      expect(
        createRedactor([SECRET])
          .bytes(Buffer.concat([Buffer.from('<'), body]))
          .toString(),
      ).toBe('<[REDACTED]');
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
    expect(text('https://hooks.example/T0/B0/XyZ', 'no /T0/B0/XyZ')).toBe('no [REDACTED]');
    expect(text('-----BEGIN KEY-----\nMIIabcdefgh\n-----END KEY-----\n', 'got MIIabcde')).toBe('got [REDACTED]');
    expect(text('{"k":"0123456789abcdef0123"}', 'not 0123456789')).toBe('not [REDACTED]');
  });
});

describe('a value that the cap cuts off', () => {
  const { bytes } = createRedactor([SECRET]);
  const cut = (text: string, isCutOff = true) => bytes(Buffer.from(text), isCutOff).toString();

  it('is removed from 4 characters on, in any encoding', () => {
    for (let length = 4; length <= SECRET.length; length++) {
      expect(cut(`sent ${SECRET.slice(0, length)}`)).toBe('sent [REDACTED]');
    }
    expect(cut(`sent ${Buffer.from(SECRET).toString('hex').slice(0, 13)}`)).toBe('sent [REDACTED]');
    expect(cut(`sent ${Buffer.from(SECRET).toString('base64').slice(0, 6)}`)).toBe('sent [REDACTED]');
  });

  it('is left where nothing was cut off, or fewer characters stand there', () => {
    expect(cut('sent sk_live', false)).toBe('sent sk_live');
    expect(cut('sent sk_')).toBe('sent sk_');
  });

  it('is removed from what is kept of a delivery', async () => {
    // Enough echoes of a long secret that, once they are replaced, everything read fits into the stored size.
    const secret = `sk_live_${randomBytes(500).toString('hex')}`;
    const last = secret.slice(0, 6);
    const echoes = `${secret}\n`.repeat(70).slice(0, 60 * (secret.length + 1));
    const body = Buffer.from(`${echoes.padStart(RESPONSE_READ_BYTES_MAX - last.length, '-')}${last}`);
    const sent: Sent = { kind: 'response', response: { status: 200, headers: [], body } };
    const { seen: answer } = await readAnswer(REDACTION, sent, { secrets: [secret] });
    const seen = answer.body?.toString() ?? '';
    expect(seen).toContain('REDACTED');
    expect(seen).not.toContain('sk_l');
  });
});

/** CPU time, because other load on the machine does not count in it. The least of three runs, because garbage collection does. */
function quickestMs(run: () => void): number {
  const times = Array.from({ length: 3 }, () => {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  });
  return Math.min(...times);
}

describe('the search takes time that grows with the text, and no faster', () => {
  const secrets = Array.from({ length: 20 }, (_, index) => `${SECRET}${index}`);
  const PERIODIC = Array.from({ length: 20 }, (_, index) => `${'ab'.repeat(200)}${index}`);
  it.each([
    ['of prose', secrets, 'the quick brown fox jumps over the lazy dog. '],
    ['of base64 in lines', secrets, `${Buffer.from('x'.repeat(57)).toString('base64')}\r\n`],
    ['of the beginnings of secrets', secrets, SECRET.slice(0, 12)],
    ['that repeats itself as the secrets do', PERIODIC, 'ab'],
    ['of white space', secrets, ' '],
    ['of backslashes', secrets, '\\'],
  ])('with 20 secrets in a mebibyte %s', (_, values, unit) => {
    const finder = createPartFinder(textNeedles(values));
    const textOf = (length: number): string => unit.repeat(Math.ceil(length / unit.length));
    const [small, large] = [textOf(2 ** 16), textOf(2 ** 20)];
    finder.find(small, false); // so that both are compiled
    const ratio =
      quickestMs(() => finder.find(large, true)) /
      Math.max(
        quickestMs(() => finder.find(small, true)),
        1,
      );
    // 16 where the time is linear, 256 where it is quadratic.
    expect(ratio).toBeLessThan(96);
  });

  it('and finds them', () => {
    const body = Buffer.from(`${'the quick brown fox jumps over the lazy dog. '.repeat(23_300)}${secrets.join(' ')}`);
    expect(kept(secrets, body, 'text/plain')).not.toContain('51HxQz');
  });
});
