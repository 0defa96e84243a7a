import { createHash } from 'node:crypto';
import type { ExactJson, Json } from './json.ts';

/**
 * The RFC 8785 (JCS) text of a JSON value. As in JSON.stringify an undefined member is left out, an undefined item
 * null. It runs on the event loop for every body with an Idempotency-Key, so a value in order is left to
 * JSON.stringify, from which RFC 8785 takes numbers and strings. A bigint, which JSON.stringify refuses, is written as
 * its digits.
 */
export function canonicalJson(value: ExactJson): string {
  return isInOrder(value) ? JSON.stringify(value) : write(value);
}

/** `sha256:<64 hex>` over the JCS bytes of a JSON value. */
export function digestOf(value: Json): string {
  return `sha256:${createHash('sha256').update(canonicalJson(value), 'utf8').digest('hex')}`;
}

type Members = Readonly<Record<string, ExactJson | undefined>>;

/** Whether every object names its members in the order of their UTF-16 code units, and no number is a bigint. */
function isInOrder(value: ExactJson | undefined): boolean {
  refuseNotANumber(value);
  if (typeof value === 'bigint') return false;
  if (value === null || typeof value !== 'object') return true;
  if (Array.isArray(value)) return value.every(isInOrder);
  let before = '';
  for (const name of Object.keys(value)) {
    if (name < before || !isInOrder((value as Members)[name])) return false;
    before = name;
  }
  return true;
}

function write(value: ExactJson | undefined): string {
  if (value === undefined) return 'null';
  if (typeof value === 'bigint') return String(value);
  refuseNotANumber(value);
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
  const members: string[] = [];
  for (const name of Object.keys(value).sort()) {
    const member = (value as Members)[name];
    if (member !== undefined) members.push(`${JSON.stringify(name)}:${write(member)}`);
  }
  return `{${members.join(',')}}`;
}

/** JSON.stringify would write null, which is the digest of another value. */
function refuseNotANumber(value: ExactJson | undefined): void {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new RangeError(`JSON has no number ${value}`);
}
