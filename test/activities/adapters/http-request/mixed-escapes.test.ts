import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRedactor } from '../../../../activities/adapters/http-request/redaction.ts';
import { REDACTED } from '../../../../domain/redacted.ts';

/** The same cases each time. */
const SEED = 47;
const SECRETS = ['sk_live_51HxQz0123', 'two\nlines\\of "it"', 'grün☃key😀'];

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
  const redactor = createRedactor(SECRETS);
  const way = fc.tuple(fc.nat(5), fc.array(fc.constantFrom(...BACKSLASHES), { minLength: 1, maxLength: 8 }));
  fc.assert(
    fc.property(fc.constantFrom(...SECRETS), fc.array(way, { minLength: 20, maxLength: 20 }), (secret, ways) => {
      const echo = Array.from(secret, (character, at) => {
        const [form, escapes] = ways[at] ?? [0, []];
        return written(character, form, escapes.join(''));
      }).join('');
      expect(redactor.text(`before | ${echo} | after`)).toBe(`before | ${REDACTED} | after`);
    }),
    { numRuns: 1_000, seed: SEED },
  );
});
