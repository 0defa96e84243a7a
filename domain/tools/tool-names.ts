import { createHash } from 'node:crypto';

/** What the tool formats of OpenAI and Anthropic take as a name. MCP takes the names of actions as they are. */
const LEGAL = /^[a-zA-Z0-9_-]{1,64}$/;
const CHARACTERS_MAX = 64;
const HASH_CHARACTERS = 12;
const HASHED = /_x[0-9a-f]{12}$/;

/**
 * An action's name as a tool's, without dots. It depends on the name alone, and no two names map to one: without two
 * underscores in a row it stays; dots become two underscores where that can be read back (`refund__create`); any other,
 * such as a long one, ends in a part of its SHA-256.
 */
export function toolNameOf(name: string): string {
  if (LEGAL.test(name) && !name.includes('__') && !HASHED.test(name)) return name;
  const dotted = name.replaceAll('.', '__');
  if (!/__|[_.]\.|\._/.test(name) && LEGAL.test(dotted) && !HASHED.test(dotted)) return dotted;
  const hash = createHash('sha256').update(name, 'utf8').digest('hex').slice(0, HASH_CHARACTERS);
  const start = name.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, CHARACTERS_MAX - HASH_CHARACTERS - 2);
  return `${start}_x${hash}`;
}
