import { createHash, randomBytes } from 'node:crypto';

/** Some 79 bits, which nobody guesses in ten minutes. No letter or digit looks like another one. */
const ALPHABET = '23456789ABCDEFGHJKMNPQRSTUVWXYZ';
const CHARACTERS = 16;

export function newLinkCode(): string {
  let code = '';
  // Bytes that would favour the first letters are left out.
  const most = 256 - (256 % ALPHABET.length);
  while (code.length < CHARACTERS) {
    for (const byte of randomBytes(CHARACTERS)) {
      if (byte < most && code.length < CHARACTERS) code += ALPHABET.charAt(byte % ALPHABET.length);
    }
  }
  return code;
}

/** A person may type it in small letters and with spaces or hyphens. */
export function hashOfCode(code: string): Buffer {
  return createHash('sha256').update(code.toUpperCase().replaceAll(/[\s-]/g, '')).digest();
}
