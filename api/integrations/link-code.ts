import { createHash, randomBytes } from 'node:crypto';

/** 79 bits, without characters that look alike. */
const ALPHABET = '23456789ABCDEFGHJKMNPQRSTUVWXYZ';
const CHARACTERS = 16;

export function newLinkCode(): string {
  let code = '';
  // Skips bytes that would favour the first letters.
  const most = 256 - (256 % ALPHABET.length);
  while (code.length < CHARACTERS) {
    for (const byte of randomBytes(CHARACTERS)) {
      if (byte < most && code.length < CHARACTERS) code += ALPHABET.charAt(byte % ALPHABET.length);
    }
  }
  return code;
}

/** People may type small letters, spaces or hyphens. */
export function hashOfCode(code: string): Buffer {
  return createHash('sha256').update(code.toUpperCase().replaceAll(/[\s-]/g, '')).digest();
}
