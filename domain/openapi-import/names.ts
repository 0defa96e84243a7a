import { createHash } from 'node:crypto';

const NAME_CHARACTERS_MAX = 64;
const HASH_CHARACTERS = 8;

/**
 * A valid action name for each operationId: `issues/list-comments` becomes `issues.list-comments`. It depends only on
 * the document's operationIds, not on their order, so that the next import finds it. If several become one name, the
 * one that is written so keeps it, else the first in code-unit order; the others, and names that are too long or not
 * `isAllowed`, end with a hash of their operationId.
 */
export function namesOf(
  operationIds: readonly string[],
  prefix: string,
  isAllowed: (name: string) => boolean,
): Map<string, string> {
  const taken = new Set<string>();
  const names = new Map<string, string>();
  const isExact = (id: string): boolean => prefix + slugOf(id) === prefix + id;
  const order = operationIds.toSorted((left, right) => {
    if (isExact(left) !== isExact(right)) return isExact(left) ? -1 : 1;
    return left < right ? -1 : 1;
  });
  for (const id of order) {
    const plain = prefix + slugOf(id);
    const candidates = [plain, hashed(plain, id, HASH_CHARACTERS), hashed(plain, id, 2 * HASH_CHARACTERS)];
    const name = candidates.find(
      (candidate) => candidate.length <= NAME_CHARACTERS_MAX && !taken.has(candidate) && isAllowed(candidate),
    );
    if (name === undefined) throw new Error(`no name is left for an operation named like ${plain.slice(0, 64)}`);
    taken.add(name);
    names.set(id, name);
  }
  return names;
}

function slugOf(operationId: string): string {
  const slug = operationId
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1-$2')
    .toLowerCase()
    .replaceAll(/[/:\s]+/g, '.')
    .replaceAll(/[^a-z0-9_.-]+/g, '-')
    .replaceAll(/[.-]*\.[.-]*/g, '.')
    .replaceAll(/-{2,}/g, '-')
    .replace(/^[^a-z]+/, '')
    .replace(/[.-]+$/, '');
  return slug === '' ? 'operation' : slug;
}

function hashed(name: string, operationId: string, characters: number): string {
  const hash = createHash('sha256').update(operationId, 'utf8').digest('hex').slice(0, characters);
  return `${name.slice(0, NAME_CHARACTERS_MAX - characters - 1).replace(/[.-]+$/, '')}-${hash}`;
}
