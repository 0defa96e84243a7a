import { describe, expect, it } from 'vitest';
import type { RawResponse } from '../../../../activities/adapters/http-request/exchange.ts';
import { readResponse } from '../../../../activities/adapters/http-request/read-response.ts';
import { createRedactor } from '../../../../activities/adapters/http-request/redaction.ts';

const SECRET = 'sk_live_51HxQzAbCdEf0123456789';

/** All that is kept of a body, as Latin-1 characters where it is kept as bytes. */
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

  it('leave common text alone: a short user name, base64 that is none', () => {
    expect(echo(basic('admin:hunter2-long'), 'admin may not')).toBe('admin may not');
    expect(echo('abcdefghijklmnop', 'nothing of it')).toBe('nothing of it');
  });
});

it('finds twenty secrets in a mebibyte without keeping the process busy', () => {
  const secrets = Array.from({ length: 20 }, (_, index) => `${SECRET}${index}`);
  const body = Buffer.from(`${'the quick brown fox jumps over the lazy dog. '.repeat(23_300)}${secrets.join(' ')}`);
  const startedAt = performance.now();
  expect(kept(secrets, body, 'text/plain')).not.toContain('51HxQz');
  expect(performance.now() - startedAt).toBeLessThan(10_000);
});
