import * as fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { readResponse } from '../../../../activities/adapters/http-request/read-response.ts';
import { createRedactor } from '../../../../activities/adapters/http-request/redaction.ts';
import { REDACTED } from '../../../../domain/redacted.ts';

/** An answer of many values is searched as one text: a search of each would stop the worker for minutes. */

/** The same cases each time. */
const SEED = 47;
const SECRETS = [
  'sk_live_51HxQz0123',
  'two\nlines\\of "it"',
  'grün☃key😀',
  'Bearer abcdefghijklmnopqrstuvwxyz',
  '7.250',
  '\0\x01ab',
];

/** Whatever could be found across the border of two texts, if there were none: halves of secrets in each encoding, and signs that escape. */
const fragments = SECRETS.flatMap((secret) =>
  [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    Buffer.from(secret).toString('hex'),
    Buffer.from(`user:${secret}`).toString('base64'),
  ].flatMap((form) => [
    form,
    form.slice(0, form.length / 2),
    form.slice(form.length / 2),
    form.slice(0, 9),
    form.slice(-9),
  ]),
);
const SIGNS = [
  '',
  ' ',
  '\\',
  '\\\\',
  '%5c',
  '%',
  '&#',
  '\n',
  '\0',
  '\x01',
  '\x02',
  '\ud83d',
  '\ude00',
  '=',
  '/',
  'A',
  'é',
  '☃',
];
const piece = fc.constantFrom(...fragments, ...SIGNS);
const text = fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join(''));

test('many texts at once: each as if it were searched alone, for 1,000 random lists', () => {
  const redactor = createRedactor(SECRETS);
  const seen = { changed: 0, kept: 0 };
  fc.assert(
    fc.property(fc.array(text, { maxLength: 8 }), (texts) => {
      const alone = texts.map((one) => redactor.text(one));
      expect(redactor.texts(texts)).toEqual(alone);
      for (const [at, one] of alone.entries()) seen[one === texts[at] ? 'kept' : 'changed']++;
    }),
    { numRuns: 1_000, seed: SEED },
  );
  expect(seen.changed).toBeGreaterThan(100);
  expect(seen.kept).toBeGreaterThan(100);
});

test('names and leaves of JSON: each as if it were searched alone', () => {
  const redactor = createRedactor(SECRETS);
  fc.assert(
    fc.property(fc.dictionary(text, fc.oneof(text, fc.constantFrom(7.25, 12, true, null))), (given) => {
      const members = Object.entries(given).map(([name, leaf]) => [
        redactor.text(name),
        typeof leaf === 'string' ? redactor.text(leaf) : leaf,
      ]);
      expect(redactor.json({ list: [given] })).toEqual({ list: [Object.fromEntries(members)] });
    }),
    { numRuns: 300, seed: SEED },
  );
});

const BACKSLASHES = ['\\', '%5C', '%25255c'];
const JSON_LETTERS: Record<string, string> = { '\n': 'n' };

/** A character in one of the ways in which JSON, a URL or HTML writes it, escaped up to eight times. */
function written(character: string, form: number, escapes: string): string {
  const point = character.codePointAt(0) ?? 0;
  const letter = JSON_LETTERS[character];
  const units = Array.from({ length: character.length }, (_, at) =>
    character.charCodeAt(at).toString(16).padStart(4, '0'),
  );
  const forms = [
    /[\\"\n]/.test(character) ? JSON.stringify(character).slice(1, -1) : character,
    units.map((unit) => `${escapes}u${unit}`).join(''),
    encodeURIComponent(character).replaceAll('%', '%2525'),
    `&#x000${point.toString(16)};`,
    `&#${point};`,
    letter === undefined ? character : `${escapes}${letter}`,
  ];
  // A backslash of the secret takes up what escapes it.
  return character === '\\' ? '\\\\' : (forms[form] ?? character);
}

test('a secret of which each character is written in another way is found whole, for 1,000 random ways', () => {
  const secrets = SECRETS.slice(0, 3);
  const redactor = createRedactor(secrets);
  const way = fc.tuple(fc.nat(5), fc.array(fc.constantFrom(...BACKSLASHES), { minLength: 1, maxLength: 8 }));
  fc.assert(
    fc.property(fc.constantFrom(...secrets), fc.array(way, { minLength: 20, maxLength: 20 }), (secret, ways) => {
      const echo = Array.from(secret, (character, at) => {
        const [form, escapes] = ways[at] ?? [0, []];
        return written(character, form, escapes.join(''));
      }).join('');
      expect(redactor.text(`before | ${echo} | after`)).toBe(`before | ${REDACTED} | after`);
    }),
    { numRuns: 1_000, seed: SEED },
  );
});

test('a thousand values take as many searches as ten, of a list, of unusual numbers and of headers', () => {
  const redactor = createRedactor(['sk_live_51HxQz0123']);
  const searches = (values: number): number => {
    const body = JSON.stringify(Array.from({ length: values }, (_, at) => ({ [`name${at}`]: `value ${at}` })));
    const searched = vi.spyOn(String.prototype, 'matchAll');
    try {
      for (const sent of [body, `[${Array<string>(values).fill('1.0').join()}]`]) {
        const headers = Array.from({ length: values }, (_, at): [string, string] => [`x-${at}`, 'value']);
        const raw = { status: 200, headers: [...headers, ['content-type', 'application/json'] as [string, string]] };
        const { response } = readResponse({ ...raw, body: Buffer.from(sent) }, redactor);
        expect(response.body).toEqual(JSON.parse(sent));
      }
      return searched.mock.calls.length;
    } finally {
      searched.mockRestore();
    }
  };
  const ofTen = searches(10);
  expect(ofTen).toBeGreaterThan(0);
  expect(searches(1_000)).toBe(ofTen);
});

test('a number that only its text shows to be a secret is found among many', () => {
  const redactor = createRedactor(['7.250']);
  const headers: [string, string][] = [['content-type', 'application/json']];
  const body = Buffer.from(`[${'1.0,'.repeat(50)}7.250]`);
  const { response } = readResponse({ status: 200, headers, body }, redactor);
  expect(response).toMatchObject({ bodyEncoding: 'utf8', body: expect.stringContaining(REDACTED) as string });
  expect(JSON.stringify(response)).not.toContain('7.25');
});
