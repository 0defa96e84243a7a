import { createHash } from 'node:crypto';
import { canonicalize } from 'json-canonicalize';
import type { Json } from './json.ts';

/** The RFC 8785 (JCS) text of a JSON value: equal values give equal bytes. */
export function canonicalJson(value: Json): string {
  return canonicalize(value);
}

/** `sha256:<64 hex>` over the JCS bytes of a JSON value. */
export function digestOf(value: Json): string {
  return `sha256:${createHash('sha256').update(canonicalJson(value), 'utf8').digest('hex')}`;
}
