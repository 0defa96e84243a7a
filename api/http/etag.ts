import { createHash } from 'node:crypto';

const CHARACTERS = 22;

/** A strong entity tag of a content (RFC 9110, section 8.8.3). */
export function etagOf(content: string): string {
  return `"${createHash('sha256').update(content).digest('base64url').slice(0, CHARACTERS)}"`;
}
