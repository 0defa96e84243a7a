import type { Issue } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import { CONVERTED_NODES_MAX } from './limits.ts';
import { parseDocument } from './document.ts';
import { namesOf } from './names.ts';
import { listOperations } from './operations.ts';
import { planOperation } from './plan-operation.ts';
import { NotImportable } from './references.ts';

export interface ImportOptions {
  /** OperationIds to import; null is all. */
  operations: readonly string[] | null;
  ungoverned: readonly string[];
  namePrefix: string;
  /** The vault secret to use instead of the derived names. */
  secret: string | null;
  /** The URL that the document was read from; relative server URLs are resolved against it. */
  baseUrl: string | null;
  /** Which names an action may have, beyond the pattern. */
  isAllowedName(name: string): boolean;
  convertedNodesMax?: number;
}

/** An operation as an action, or why it cannot be one. `notes` say what was left out of it. */
export type PlannedOperation = { operationId: string; name: string } & (
  | {
      kind: 'action';
      description: string | null;
      config: JsonObject;
      inputSchema: JsonObject;
      notes: string[];
    }
  | { kind: 'skipped'; reason: string }
);

export type ImportPlan =
  { ok: true; title: string; operations: Iterable<PlannedOperation> } | { ok: false; issues: Issue[] };

/** The document asks for more work than an import may do. */
export class TooMuchWork extends Error {}

/**
 * Plans an import. Pure; each operation is converted when read, the first costs the parse. `at`: path in the request.
 */
export function planImport(source: unknown, at: string, options: ImportOptions): ImportPlan {
  const parsed = parseDocument(source, at);
  if (!parsed.ok) return parsed;
  const { document } = parsed;
  const listed = listOperations(document, at);
  if (!listed.ok) return listed;
  if (listed.operations.length === 0) {
    const message = 'has no operation below "paths", so that there is nothing to import';
    return { ok: false, issues: [{ path: at, message }] };
  }
  const ids = listed.operations.map(({ operationId }) => operationId);
  const known = new Set(ids);
  const unknown = (['operations', 'ungoverned'] as const).flatMap((member) =>
    (options[member] ?? []).flatMap((id, index) =>
      known.has(id) ? [] : [{ path: `body.${member}[${index}]`, message: 'is not an operationId of the document' }],
    ),
  );
  if (unknown.length > 0) return { ok: false, issues: unknown };
  // Over all operations, so that a selection gets the same names as the whole document.
  const names = namesOf(ids, options.namePrefix, options.isAllowedName);
  const selected = options.operations === null ? null : new Set(options.operations);
  let converted = 0;
  const charge = (nodes: number): void => {
    converted += nodes;
    if (converted > (options.convertedNodesMax ?? CONVERTED_NODES_MAX)) throw new TooMuchWork();
  };
  function* plan(): Generator<PlannedOperation> {
    for (const operation of listed.ok ? listed.operations : []) {
      const { operationId } = operation;
      if (selected !== null && !selected.has(operationId)) continue;
      const identity = { operationId, name: names.get(operationId) ?? '' };
      try {
        yield { kind: 'action', ...identity, ...planOperation(document, operation, options, charge) };
      } catch (error) {
        if (!(error instanceof NotImportable)) throw error;
        yield { kind: 'skipped', ...identity, reason: error.message };
      }
    }
  }
  return { ok: true, title: document.title, operations: plan() };
}
