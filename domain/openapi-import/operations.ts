import { createHash } from 'node:crypto';
import type { Issue } from '../errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { OpenApiDocument } from './document.ts';
import { OPERATION_ID_CHARACTERS_MAX, OPERATIONS_MAX, PATH_CHARACTERS_MAX, REFERENCE_STEPS_MAX } from './limits.ts';
import { lookUpReference, NotImportable } from './references.ts';

export interface Operation {
  /** The document's operationId, or `GET /path` if it has none, or one that another operation has too. */
  operationId: string;
  method: string;
  /** Without its fragment, which is never sent. */
  path: string;
  operation: JsonObject;
  pathItem: JsonObject;
  /** Why it cannot be read at all; else null. */
  fault: string | null;
  notes: string[];
}

/** As it is found, before the ids are told apart. `id` is null if the document gives none that can be used. */
interface Found extends Omit<Operation, 'operationId' | 'notes'> {
  id: string | null;
  place: string;
}

const METHODS: readonly string[] = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query'];

/** Every operation below `paths`, in the order of the document. Webhooks and callbacks are calls to the client, not by it. */
export function listOperations(
  { root }: OpenApiDocument,
  at: string,
): { ok: true; operations: Operation[] } | { ok: false; issues: Issue[] } {
  const found: Found[] = [];
  const paths = isJsonObject(root['paths']) ? root['paths'] : {};
  for (const [path, item] of Object.entries(paths)) {
    if (!path.startsWith('/')) continue; // an extension
    found.push(...operationsOf(root, path, item));
    if (found.length > OPERATIONS_MAX) {
      return { ok: false, issues: [{ path: `${at}.paths`, message: `has more than ${OPERATIONS_MAX} operations` }] };
    }
  }
  return { ok: true, operations: identified(found) };
}

function operationsOf(root: JsonObject, path: string, item: Json): Found[] {
  const base = { path: path.replace(/#.*$/s, ''), operation: {}, pathItem: {}, id: null };
  const tooLong = path.length > PATH_CHARACTERS_MAX ? `has a path of ${path.length} characters` : null;
  const pathItem = orFault(() => referred(root, item));
  if (typeof pathItem === 'string') return [{ ...base, method: '*', place: placeOf('*', path), fault: pathItem }];
  const { additionalOperations } = pathItem;
  const all = [
    ...METHODS.map((method) => [method.toUpperCase(), pathItem[method]] as const),
    ...Object.entries(isJsonObject(additionalOperations) ? additionalOperations : {}),
  ];
  return all.flatMap(([method, declared]): Found[] => {
    if (!isJsonObject(declared)) return [];
    const operation = orFault(() => referred(root, declared));
    const found = { ...base, method, pathItem, place: placeOf(method, path) };
    if (typeof operation === 'string') return [{ ...found, fault: operation }];
    const own = operation['operationId'];
    const isUsable = typeof own === 'string' && own !== '' && own.length <= OPERATION_ID_CHARACTERS_MAX;
    return [{ ...found, operation, id: isUsable ? own : null, fault: tooLong }];
  });
}

/** What a path item or an operation refers to, with what stands beside each reference, which counts more. */
function referred(root: JsonObject, value: Json): JsonObject {
  const beside: JsonObject[] = [];
  let current = value;
  for (let step = 0; step < REFERENCE_STEPS_MAX; step++) {
    if (!isJsonObject(current)) {
      if (beside.length === 0) return {};
      throw new NotImportable('refers to something that is no object');
    }
    const { $ref: reference, ...own } = current;
    if (typeof reference !== 'string') return Object.assign({}, current, ...beside.toReversed()) as JsonObject;
    beside.push(own);
    current = lookUpReference(root, reference);
  }
  throw new NotImportable('refers to a reference that never ends');
}

function orFault(read: () => JsonObject): JsonObject | string {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof NotImportable)) throw error;
    return error.message;
  }
}

/** The name of an operation without an id. A path that is too long ends with its hash. */
function placeOf(method: string, path: string): string {
  const shown = method.slice(0, 20);
  if (path.length <= PATH_CHARACTERS_MAX) return `${shown} ${path}`;
  return `${shown} ${path.slice(0, 200)}…${createHash('sha256').update(path, 'utf8').digest('hex').slice(0, 8)}`;
}

/**
 * Gives each operation an id of its own. The first by path and method keeps an operationId that several have, in any order of the
 * document, so that the next import finds the same action; the others are named by method and path.
 */
function identified(found: readonly Found[]): Operation[] {
  const keepers = new Map<string, Found>();
  for (const one of found) {
    const keeper = one.id === null ? undefined : keepers.get(one.id);
    if (one.id !== null && (keeper === undefined || isBefore(one, keeper))) keepers.set(one.id, one);
  }
  const taken = new Set(keepers.keys());
  return found.map((one): Operation => {
    const { id, place, ...operation } = one;
    const keeper = id === null ? undefined : keepers.get(id);
    if (id !== null && keeper === one) return { ...operation, operationId: id, notes: [] };
    let operationId = place;
    for (let count = 2; taken.has(operationId); count++) operationId = `${place} (${count})`;
    taken.add(operationId);
    const note = `its operationId ${id ?? ''} is that of ${keeper?.place ?? ''} too, so that it is named by method and path`;
    return { ...operation, operationId, notes: keeper === undefined ? [] : [note] };
  });
}

function isBefore(left: Found, right: Found): boolean {
  if (left.path !== right.path) return left.path < right.path;
  const [before, after] = [left, right].map(({ method }) => METHODS.indexOf(method.toLowerCase()));
  return before === after ? left.place < right.place : (before ?? 0) < (after ?? 0);
}
