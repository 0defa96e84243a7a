import type { Issue } from '../errors.ts';
import { isJsonObject } from '../json.ts';
import type { JsonObject } from '../json.ts';
import type { OpenApiDocument } from './document.ts';
import { OPERATION_ID_CHARACTERS_MAX, OPERATIONS_MAX, PATH_CHARACTERS_MAX } from './limits.ts';
import { NotImportable, resolveObject } from './references.ts';

export interface Operation {
  /** The document's operationId, or `GET /path` if it has none. */
  operationId: string;
  method: string;
  path: string;
  operation: JsonObject;
  pathItem: JsonObject;
  /** Why it cannot be read at all; else null. */
  fault: string | null;
}

const METHODS: readonly string[] = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query'];

/** Every operation below `paths`, in the order of the document. Webhooks and callbacks are calls to the client, not by it. */
export function listOperations(
  { root }: OpenApiDocument,
  at: string,
): { ok: true; operations: Operation[] } | { ok: false; issues: Issue[] } {
  const operations: Operation[] = [];
  const refuse = (path: string, message: string) => ({ ok: false as const, issues: [{ path, message }] });
  const places = new Map<string, string>();
  const paths = isJsonObject(root['paths']) ? root['paths'] : {};
  for (const [path, item] of Object.entries(paths)) {
    if (!path.startsWith('/')) continue; // an extension
    if (path.length > PATH_CHARACTERS_MAX) return refuse(`${at}.paths`, `has a path of ${path.length} characters`);
    for (const operation of operationsOf(root, path, item)) {
      const place = `paths.${path}.${operation.method.toLowerCase()}`;
      const other = places.get(operation.operationId);
      if (other !== undefined) {
        return refuse(`${at}.${place}.operationId`, `is the operationId of ${other} too; each must be unique`);
      }
      places.set(operation.operationId, place);
      operations.push(operation);
      if (operations.length > OPERATIONS_MAX)
        return refuse(`${at}.paths`, `has more than ${OPERATIONS_MAX} operations`);
    }
  }
  return { ok: true, operations };
}

function operationsOf(root: JsonObject, path: string, item: JsonObject[string]): Operation[] {
  let pathItem: JsonObject;
  try {
    pathItem = resolveObject(root, item) ?? {};
  } catch (error) {
    if (!(error instanceof NotImportable)) throw error;
    return [{ operationId: `* ${path}`, method: '*', path, operation: {}, pathItem: {}, fault: error.message }];
  }
  const additional = isJsonObject(pathItem['additionalOperations']) ? pathItem['additionalOperations'] : {};
  const found = [
    ...METHODS.map((method) => [method.toUpperCase(), pathItem[method]] as const),
    ...Object.entries(additional),
  ];
  return found.flatMap(([method, operation]) => {
    if (!isJsonObject(operation)) return [];
    const own = operation['operationId'];
    const isUsable = typeof own === 'string' && own !== '' && own.length <= OPERATION_ID_CHARACTERS_MAX;
    const operationId = isUsable ? own : `${method.slice(0, 20)} ${path}`;
    return [{ operationId, method, path, operation, pathItem, fault: null }];
  });
}
