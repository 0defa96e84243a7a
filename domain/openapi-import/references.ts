import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { REFERENCE_STEPS_MAX } from './limits.ts';
import { unescapeStep } from '../json-pointer.ts';

/** Why an operation cannot be imported, in words for the caller. */
export class NotImportable extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'NotImportable';
  }
}

/** What `$ref` leads to. Throws NotImportable where that is outside of the document, or nowhere. */
export function lookUpReference(root: JsonObject, reference: string): Json {
  const shown = reference.slice(0, 200);
  if (!reference.startsWith('#')) throw new NotImportable(`refers to ${shown}, which is outside of the document`);
  const steps = pointerSteps(reference);
  let current: Json | undefined = root;
  for (const step of steps ?? []) current = memberOf(current, step);
  if (steps === null || current === undefined) throw new NotImportable(`refers to ${shown}, which does not exist`);
  return current;
}

function pointerSteps(reference: string): string[] | null {
  if (!reference.startsWith('#/')) return null; // an anchor, or the document itself
  try {
    const pointer = decodeURIComponent(reference.slice(2));
    return pointer.split('/').map(unescapeStep);
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}

function memberOf(value: Json | undefined, step: string): Json | undefined {
  if (Array.isArray(value)) return /^\d{1,9}$/.test(step) ? value[Number(step)] : undefined;
  if (!isJsonObject(value) || !Object.hasOwn(value, step)) return undefined;
  return value[step];
}

/** The object itself, or its `$ref`'s target, or null. Throws NotImportable for outside, nowhere or a circle. */
export function resolveObject(root: JsonObject, value: Json | undefined): JsonObject | null {
  let current = value;
  for (let step = 0; step < REFERENCE_STEPS_MAX; step++) {
    if (!isJsonObject(current)) return null;
    const reference = current['$ref'];
    if (typeof reference !== 'string') return current;
    current = lookUpReference(root, reference);
  }
  throw new NotImportable('refers to a reference that never ends');
}

/** The value if it is a text, else nothing. */
export function textIn(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
