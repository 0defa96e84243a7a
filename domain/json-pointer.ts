import { isJsonObject, type Json } from './json.ts';

/** One step of a JSON Pointer (RFC 6901), as it stands in the pointer. */
export function escapeStep(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

export function unescapeStep(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** The name that a step of a `$ref` stands for. Broken percent escapes stand for themselves. */
export function referredName(step: string): string {
  try {
    return unescapeStep(decodeURIComponent(step));
  } catch (error) {
    if (error instanceof URIError) return unescapeStep(step);
    throw error;
  }
}

/** What a `$ref` leads to in its document; undefined for nothing, an anchor and an id. */
export function referredIn(root: Json, reference: string): Json | undefined {
  if (reference !== '#' && !reference.startsWith('#/')) return undefined;
  let target: Json | undefined = root;
  for (const step of reference.split('/').slice(1)) {
    const name = referredName(step);
    if (Array.isArray(target)) target = target[Number(name)];
    else target = isJsonObject(target) && Object.hasOwn(target, name) ? target[name] : undefined;
  }
  return target;
}
