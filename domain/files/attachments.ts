import { isId } from '../ids.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { readPath, type PathStep } from '../json-path.ts';
import { DIRECT_FILE_BYTES_MAX, SHA256_HEX } from './files.ts';

/** Files as attachments of an action's input. The rules: docs/files.md, "Attach a file to an action". */

/** How many files one request may carry, and how many bytes they may have together. */
export const ATTACHMENTS_MAX = 20;
export const ATTACHED_BYTES_MAX = DIRECT_FILE_BYTES_MAX;

/** The service adds all but the id at admission, so that what binds the input binds the file's content too. */
export interface Attachment {
  id: string;
  filename: string;
  contentType: string;
  /** Bytes. */
  size: number;
  /** Hex. */
  sha256: string;
}

export const ATTACHMENT_MEMBERS = ['id', 'filename', 'contentType', 'size', 'sha256'] as const;

/** The file that a value of an input names: by its id, or by an object with it. Null where it names none. */
export function namedFile(value: Json): { id: string; sha256: string | null } | null {
  const id = isJsonObject(value) ? value['id'] : value;
  const sha256 = isJsonObject(value) ? (value['sha256'] ?? null) : null;
  if (typeof id !== 'string' || !isId('file', id)) return null;
  if (sha256 !== null && (typeof sha256 !== 'string' || !SHA256_HEX.test(sha256))) return null;
  return { id, sha256 };
}

/** A value that the service has completed; null for any other. */
export function attachmentOf(value: Json): Attachment | null {
  if (!isJsonObject(value) || typeof namedFile(value)?.sha256 !== 'string') return null;
  const { filename, contentType, size } = value;
  const isWhole = typeof filename === 'string' && typeof contentType === 'string' && typeof size === 'number';
  return isWhole ? (value as unknown as Attachment) : null;
}

/** The places among `paths` that the input has; a list of files is one place for each of them. */
export function filePlaces(input: JsonObject, paths: readonly (readonly PathStep[])[]): PathStep[][] {
  const places = new Map<string, PathStep[]>();
  for (const path of paths) {
    const found = readPath(input, path);
    if (!found.found || found.value === null) continue;
    const items = Array.isArray(found.value) ? found.value.map((_item, index) => [...path, index]) : [[...path]];
    for (const place of items) places.set(JSON.stringify(place), place);
  }
  return [...places.values()];
}

/** The input as its schema describes it: each file is its id again. */
export function inputAsAsked(input: JsonObject, places: readonly (readonly PathStep[])[]): JsonObject {
  return withValues(input, places, (value) => (isJsonObject(value) ? (value['id'] ?? value) : value));
}

/** A copy of the input with another value at each place. Every place exists. */
export function withValues(
  input: JsonObject,
  places: readonly (readonly PathStep[])[],
  valueFor: (value: Json) => Json,
): JsonObject {
  return places.reduce<Json>((current, place) => replaced(current, place, valueFor), input) as JsonObject;
}

function replaced(value: Json, [step, ...rest]: readonly PathStep[], valueFor: (value: Json) => Json): Json {
  if (step === undefined) return valueFor(value);
  if (typeof step === 'number') {
    if (!Array.isArray(value)) return value;
    return value.map((item, index) => (index === step ? replaced(item, rest, valueFor) : item));
  }
  // Own members only: a path is the definition's, and `__proto__` is a name like any other.
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([name, member]): [string, Json] => [
    name,
    name === step ? replaced(member, rest, valueFor) : member,
  ]);
  return Object.fromEntries(entries);
}
