import { randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readResponse } from '../../../../activities/adapters/http-request/read-response.ts';
import { createRedactor, SEARCHED_LENGTH_MAX } from '../../../../activities/adapters/http-request/redaction.ts';
import { formsOf } from '../../../../activities/adapters/http-request/secret-forms.ts';
import { type SearchResult, searchSecrets } from '../../../../activities/adapters/http-request/secret-search.ts';
import { valuesOf } from '../../../../activities/adapters/http-request/secret-values.ts';

const SECRET = 'sk_live_51/HxQz?Ab"Cd\\Ef&0123+é456789';
const MIB = 2 ** 20;
const repeated = (unit: string, length: number): Buffer => Buffer.alloc(length, unit);

/** The forms that docs/secrets.md lists. */
const FORMS: [string, (value: string) => Buffer][] = [
  ['as it is', (value) => Buffer.from(value)],
  ['in another case', (value) => Buffer.from(value.replace(/[a-z]/g, (letter) => letter.toUpperCase()))],
  ['in JSON', (value) => Buffer.from(JSON.stringify(value).slice(1, -1))],
  ['in JSON in JSON', (value) => Buffer.from(JSON.stringify(JSON.stringify(value).slice(1, -1)).slice(1, -1))],
  ['in \\u escapes', (value) => Buffer.from(value.replace(/[^]/gu, (sign) => `\\u${hexOf(sign.charCodeAt(0), 4)}`))],
  ['in percent', (value) => Buffer.from(encodeURIComponent(value))],
  ['in percent of small digits', (value) => Buffer.from(encodeURIComponent(value).toLowerCase())],
  ['in percent, in part', (value) => Buffer.from(encodeURIComponent(value).replaceAll('%2F', '/'))],
  ['in percent twice', (value) => Buffer.from(encodeURIComponent(encodeURIComponent(value)))],
  ['in a form', (value) => Buffer.from(new URLSearchParams({ v: value }).toString().slice(2))],
  [
    'in HTML',
    (value) => Buffer.from(value.replaceAll('&', '&amp;').replaceAll('"', '&#34;').replaceAll('é', '&#xE9;')),
  ],
  ['in hex', (value) => Buffer.from(Buffer.from(value).toString('hex'))],
  ['in hex of capitals', (value) => Buffer.from(Buffer.from(value).toString('hex').toUpperCase())],
  ['in base64', (value) => Buffer.from(Buffer.from(value).toString('base64'))],
  ['in base64, one byte on', (value) => Buffer.from(Buffer.from(`-${value}-`).toString('base64'))],
  ['in base64, two bytes on', (value) => Buffer.from(Buffer.from(`--${value}`).toString('base64'))],
  ['in base64url', (value) => Buffer.from(Buffer.from(value).toString('base64url'))],
  ['in base64 in lines', (value) => Buffer.from(Buffer.from(value).toString('base64').replace(/.{8}/g, '$&\r\n'))],
  ['in UTF-16', (value) => Buffer.from(value, 'utf16le')],
  ['in UTF-16, big-endian', (value) => Buffer.from(value, 'utf16le').swap16()],
];

function hexOf(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}

interface Searched extends SearchResult {
  blocks: number;
}

function search(bytes: Buffer, secrets: readonly string[], isCutOff = false): Searched {
  const running = searchSecrets(bytes, formsOf(valuesOf(secrets)), isCutOff);
  for (let blocks = 1; ; blocks++) {
    const step = running.next();
    if (step.done === true) return { ...step.value, blocks };
  }
}

describe('a secret in 16 MiB', () => {
  it('is found in each form, at the border of each block, and nothing else is', () => {
    const text = repeated('the quick brown fox jumps over the lazy dog. ', 16 * MIB);
    const planted = FORMS.map(([, form], index): [number, number] => {
      const bytes = form(SECRET);
      const start = (index + 1) * 0.75 * MIB - Math.floor(bytes.length / 2);
      bytes.copy(text, start);
      text[start - 1] = text[start + bytes.length] = 0x20;
      return [start, start + bytes.length];
    });
    const { ranges, steps, blocks } = search(text, [SECRET]);
    expect(ranges).toHaveLength(planted.length);
    for (const [index, [start, end]] of planted.entries()) {
      const [name] = FORMS[index] ?? [];
      const [from = 0, to = 0] = ranges[index] ?? [];
      // The characters of base64 that hold nothing of the secret stay.
      const isBase64 = name?.includes('base64') === true;
      const isCovered = isBase64 ? from <= start + 2 && to >= end - 4 : from === start && to >= end;
      expect({ name, isCovered, isMore: from < start || to > end + 1 }).toEqual({
        name,
        isCovered: true,
        isMore: false,
      });
    }
    expect(steps).toBeLessThanOrEqual(STEPS_PER_BYTE * text.length);
    expect(blocks).toBe(512);
  }, 120_000);
});

/** Two for each byte of the three views. */
const STEPS_PER_BYTE = 6;

describe('the search takes as many steps for each byte', () => {
  const many = Array.from({ length: 20 }, (_, index) => `${SECRET}${index}`);
  const long = randomBytes(3_000).toString('base64');
  it.each([
    ['prose', many, 'the quick brown fox jumps over the lazy dog. '],
    ['base64 in lines', many, `${randomBytes(57).toString('base64')}\r\n`],
    ['the beginnings of secrets', many, SECRET.slice(0, 11)],
    ['near matches', many, `${SECRET.slice(0, 11)}-${SECRET.slice(-11)}`],
    ['what repeats itself as the secrets do', many.map((_, index) => `${'ab'.repeat(200)}${index}`), 'ab'],
    ['one letter, as the secret', [`${'a'.repeat(4_000)}b`], 'a'],
    ['the secret itself', [long], long],
    [
      'documents that begin alike',
      many.map((_, index) => `{"a":"${'x'.repeat(200)}","b":"${index}"}`),
      '{"a":"xxxxxxxx',
    ],
    ['white space', many, ' '],
    ['backslashes', many, '\\'],
    ['open escapes', many, '%3'],
    ['escapes of escapes', many, '%25'],
    ['entities', many, '&#38;'],
    ['NUL', many, '\0'],
  ])('of %s', (_, secrets, unit) => {
    for (const length of [MIB / 16, MIB / 2]) {
      expect(search(repeated(unit, length), secrets, true).steps).toBeLessThanOrEqual(STEPS_PER_BYTE * length);
    }
  });
});

describe('what the secrets take in memory', () => {
  it.each([
    ['a common one', SECRET, 64],
    ['4 KiB', randomBytes(3_072).toString('base64'), 3_072],
    [
      'as long as they may be',
      randomBytes(SEARCHED_LENGTH_MAX).toString('base64').slice(0, SEARCHED_LENGTH_MAX),
      12_288,
    ],
    ['one letter', 'a'.repeat(SEARCHED_LENGTH_MAX), 12_288],
  ])('%s', (_, secret, kibMax) => {
    const { plain, base64 } = formsOf(valuesOf([secret]));
    expect((plain.byteLength + base64.byteLength) / 1024).toBeLessThanOrEqual(kibMax);
  });
});

describe('several secrets', () => {
  const text = (secrets: string[], given: string): string => createRedactor(secrets).text(given);

  it('that overlap in the text are one mark, and those that touch are two', () => {
    expect(text(['abcdefgh', 'efghijkl'], '<abcdefghijkl>')).toBe('<[REDACTED]>');
    expect(text(['abcdefgh', 'ijklmnop'], '<abcdefghijklmnop>')).toBe('<[REDACTED][REDACTED]>');
    expect(text(['secret', 'my-secret-key', 'cret-k'], 'my-secret-key')).toBe('[REDACTED]');
  });

  it('are found by a part that they share', () => {
    expect(text(['ab-0123456789xy-ab', 'cd_0123456789xy_cd'], '<0123456789xy>')).toBe('<[REDACTED]>');
  });

  it('are found where one is a part or an end of another', () => {
    expect(text(['xyzabcdefgh', 'abcd', 'cdef'], 'zabcde yzabcdefghi cdefgh')).toBe(
      'z[REDACTED]e yz[REDACTED]ghi [REDACTED]gh',
    );
  });
});

it('what is found is what a comparison at each place finds, for 2,000 random texts of two letters', () => {
  const word = (minLength: number, maxLength: number) =>
    fc.array(fc.constantFrom('a', 'b'), { minLength, maxLength }).map((letters) => letters.join(''));
  const secrets = fc.array(word(5, 30), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(secrets, word(0, 80), fc.nat(20), (some, random, from) => {
      const given = [...some, `${random.slice(0, 4)}${some[0] ?? ''}${random.slice(4, 8)}`];
      const text = `${random}${(given[0] ?? '').slice(from)}${random.slice(0, 7)}`;
      const found = Array.from(text, () => '.');
      for (const [start, end] of search(Buffer.from(text), given).ranges) found.fill('x', start, end);
      expect(found.join('')).toBe(comparedAtEachPlace(text, given));
    }),
    { numRuns: 2_000, seed: 40 },
  );
});

function comparedAtEachPlace(text: string, secrets: readonly string[]): string {
  const found = Array.from(text, () => '.');
  for (const secret of secrets) {
    const length = Math.min(secret.length, 12);
    for (let start = 0; start + length <= text.length; start++) {
      if (secret.includes(text.slice(start, start + length))) found.fill('x', start, start + length);
    }
  }
  return found.join('');
}

describe('a secret that is a common word, or short', () => {
  const kept = async (secret: string, body: string) => {
    const headers: [string, string][] = [['content-type', 'application/json']];
    const { response, unreadable } = await readResponse({ status: 200, headers, body: Buffer.from(body) }, [secret]);
    expect(unreadable).toBeNull();
    return response;
  };
  const body = '{"id":1,"ok":true,"status":"true","list":[1.0,21,null],"n":7}';

  it.each<[string, unknown]>([
    ['status', { id: 1, ok: true, '[REDACTED]': 'true', list: [1, 21, null], n: 7 }],
    ['id', { '[REDACTED]': 1, ok: true, status: 'true', list: [1, 21, null], n: 7 }],
    ['true', { id: 1, ok: '[REDACTED]', status: '[REDACTED]', list: [1, 21, null], n: 7 }],
    ['7', { id: 1, ok: true, status: 'true', list: [1, 21, null], n: '[REDACTED]' }],
    ['1.0', { id: 1, ok: true, status: 'true', list: ['[REDACTED]', 21, null], n: 7 }],
    ['":"', JSON.parse(body)],
    [',', JSON.parse(body)],
    ['"', JSON.parse(body)],
  ])('leaves JSON as JSON: %s', async (secret, expected) => {
    expect(await kept(secret, body)).toMatchObject({ bodyEncoding: 'json', body: expected });
  });

  it('that is more than one member leaves the text', async () => {
    const response = await kept('true","list', body);
    expect(response).toMatchObject({ bodyEncoding: 'utf8', body: expect.stringContaining('[REDACTED]') as string });
  });

  it('is found where only parsing writes a number as the secret', async () => {
    expect(await kept('12340', '{"n": 1234e1}')).toMatchObject({ bodyEncoding: 'json', body: { n: '[REDACTED]' } });
  });
});

it.each(FORMS)('a secret that is cut off leaves nothing of its beginning: %s', async (_, form) => {
  const whole = form(SECRET);
  const { bytes } = createRedactor([SECRET]);
  for (let length = 12; length < whole.length; length++) {
    const text = Buffer.concat([Buffer.from('sent '), whole.subarray(0, length)]);
    const cleaned = (await bytes(text, true)).toString('latin1');
    expect(cleaned).toMatch(/^sent /);
    const rest = cleaned.replace('sent ', '').replaceAll('[REDACTED]', '');
    // Under four characters, of which one escape may be open. Base64 before the secret holds nothing of it.
    expect(rest.length).toBeLessThanOrEqual((length / whole.length) * SECRET.length < 5 ? 24 : 4);
  }
});

it('a large answer lets other work run in between', async () => {
  const { bytes } = createRedactor([SECRET]);
  let turns = 0;
  let isDone = false;
  const count = (): void => {
    turns++;
    if (!isDone) setImmediate(count);
  };
  count();
  await bytes(repeated('x', MIB));
  isDone = true;
  expect(turns).toBeGreaterThanOrEqual(31);
});
