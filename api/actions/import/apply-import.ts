import { setImmediate as nextTurn } from 'node:timers/promises';
import { batchesOf } from '../../../domain/batches-of.ts';
import type { EnvironmentTransaction } from '../../../db/client.ts';
import {
  type ImportedAction,
  type ImportedChange,
  insertImportedActions,
  lockImports,
  lockNamedActions,
  type NamedAction,
  updateImportedActions,
} from '../../../db/actions/imports.ts';
import { readDefinitions } from '../../../db/actions/queries.ts';
import { checkDefinition } from '../../../domain/actions/check-definition.ts';
import type { ActionDefinition } from '../../../domain/actions.ts';
import { adapterDescriptor } from '../../../domain/adapters/index.ts';
import { digestOf } from '../../../domain/canonical-json.ts';
import type { EgressAllow } from '../../../domain/egress.ts';
import type { Json } from '../../../domain/json.ts';
import type { Actor, Caller } from '../../http/define-route.ts';
import { requireGovernScope, requireGovernToWriteUngoverned, requireSecretScope, takeNames } from '../access.ts';
import { missingSecretsOf, warningsOf } from '../warnings.ts';
import type { ImportedOperation } from './import-body.ts';
import type { PlannedImport, PlannedImportEntry } from '../../threads/import-job.ts';

/** Small enough for short statements and a free event loop. */
const CHUNK = 100;
const REASON_CHARACTERS_MAX = 1_000;

type PlannedAction = Extract<PlannedImportEntry, { kind: 'action' }>;

interface Decided {
  operation: ImportedOperation;
  create?: ImportedAction;
  change?: ImportedChange;
}

/**
 * Creates and changes the actions of a plan. Settings that the document does not give (governance, time-out, output schema) stay, except as
 * `governedAfter` says. An action that this document did not create is never touched.
 *
 * @throws {ServiceError} AUTHORIZATION_ERROR for secrets, names and ungoverned actions that the caller may not use, CONFLICT when a name
 * was taken meanwhile. The caller rolls the transaction back.
 */
export async function applyImport(
  tx: EnvironmentTransaction,
  plan: PlannedImport,
  { caller, actor, egressAllow }: { caller: Caller; actor: Actor; egressAllow: EgressAllow },
): Promise<ImportedOperation[]> {
  await lockImports(tx);
  const actions = plan.entries.filter((entry) => entry.kind === 'action');
  const present = await lockNamedActions(
    tx,
    actions.map(({ name }) => name),
  );
  const operations: ImportedOperation[] = [];
  for (const chunk of batchesOf(plan.entries, CHUNK)) {
    const decided = await decideChunk(tx, chunk, {
      title: plan.title,
      present,
      caller,
      egressAllow,
    });
    const created = decided.flatMap(({ create }) => create ?? []);
    const changed = decided.flatMap(({ change }) => change ?? []);
    if (created.length > 0) {
      await insertImportedActions(tx, created, actor);
      await takeNames(
        tx,
        caller,
        created.map(({ name }) => name),
      );
    }
    if (changed.length > 0) await updateImportedActions(tx, changed, actor);
    operations.push(...decided.map(({ operation }) => operation));
    await nextTurn();
  }
  return operations;
}

interface Deciding {
  title: string;
  present: ReadonlyMap<string, NamedAction>;
  caller: Caller;
  egressAllow: EgressAllow;
}

async function decideChunk(
  tx: EnvironmentTransaction,
  entries: readonly PlannedImportEntry[],
  { title, present, caller, egressAllow }: Deciding,
): Promise<Decided[]> {
  const differing = entries.flatMap((entry) => {
    const action = present.get(entry.name);
    const differs = entry.kind === 'action' && action !== undefined && action.currentVersion.digest !== entry.digest;
    return differs && isOurs(action, title, entry.operationId) ? [action.currentVersion.id] : [];
  });
  const definitions =
    differing.length === 0 ? new Map<string, ActionDefinition>() : await readDefinitions(tx, differing);
  const secretNames = new Set(entries.flatMap((entry) => (entry.kind === 'action' ? entry.secretNames : [])));
  const missingSecrets = await missingSecretsOf(tx, [...secretNames]);
  return entries.map((entry) => {
    const decided = decide(entry, title, present.get(entry.name), definitions, caller);
    if (entry.kind === 'skipped' || (!decided.create && !decided.change)) return decided;
    const warnings = warningsOf(entry.findings, egressAllow, missingSecrets);
    return warnings.length === 0 ? decided : { ...decided, operation: { ...decided.operation, warnings } };
  });
}

function decide(
  entry: PlannedImportEntry,
  title: string,
  action: NamedAction | undefined,
  definitions: ReadonlyMap<string, ActionDefinition>,
  caller: Caller,
): Decided {
  const { operationId, name } = entry;
  const said = (status: ImportedOperation['status'], reason: string, governed?: boolean): ImportedOperation => ({
    operationId,
    name,
    status,
    ...(governed === undefined ? {} : { governed }),
    ...(reason === '' ? {} : { reason: reason.slice(0, REASON_CHARACTERS_MAX) }),
  });
  if (entry.kind === 'skipped') return { operation: said('skipped', entry.reason) };
  const notes = entry.notes.join('; ');
  const changeNote = importNote(title, operationId);
  if (action === undefined) {
    requireSecretScope(caller, entry.secretNames);
    const { description, definitionJson, digest } = entry;
    return {
      operation: said('created', notes, entry.governed),
      create: { name, description, version: { definitionJson, digest, changeNote } },
    };
  }
  if (!isOurs(action, title, operationId)) {
    const reason = `an action named ${name} exists that this document did not make; archive or rename it, or import with a namePrefix`;
    return { operation: said('skipped', reason) };
  }
  const version = nextVersion(entry, action, definitions, caller);
  if (typeof version === 'string') return { operation: said('skipped', version) };
  const governed = version?.governed ?? action.governed;
  if (version === null && action.description === entry.description) {
    return { operation: said('unchanged', notes, governed) };
  }
  const number = action.currentVersion.number + 1;
  const numbered =
    version === null ? null : { definitionJson: version.definitionJson, digest: version.digest, changeNote, number };
  return {
    operation: said('updated', notes, governed),
    change: { id: action.id, description: entry.description, version: numbered },
  };
}

/**
 * Puts the document's adapter and input schema into the current definition. Returns null when nothing changes, and a reason when the
 * owner's declarations no longer fit.
 */
function nextVersion(
  entry: PlannedAction,
  action: NamedAction,
  definitions: ReadonlyMap<string, ActionDefinition>,
  caller: Caller,
): { definitionJson: string; digest: string; governed: boolean } | null | string {
  const before = definitions.get(action.currentVersion.id);
  if (before === undefined) return null;
  const { adapter, inputSchema } = JSON.parse(entry.definitionJson) as ActionDefinition;
  const updated: ActionDefinition = { ...before, adapter, inputSchema };
  const definition = { ...updated, governed: governedAfter(entry, before, updated) };
  const digest = digestOf(definition as unknown as Json);
  if (digest === action.currentVersion.digest) return null;
  const descriptor = adapterDescriptor(adapter.type, adapter.version);
  if (before.impact.length > 0 || before.verify !== null) {
    const [lie] = checkDefinition(definition, descriptor).issues;
    if (lie !== undefined) {
      return `its ${lie.path} ${lie.message}: change the action's own declaration first`;
    }
  }
  requireGovernScope(caller, before, definition, entry.name);
  requireGovernToWriteUngoverned(caller, definition, entry.name);
  requireSecretScope(caller, descriptor.secretNames(definition));
  return { definitionJson: JSON.stringify(definition), digest, governed: definition.governed };
}

/**
 * An action that already wrote and was ungoverned stays so: only a holder of `actions:govern` can have left it ungoverned. One that did not
 * write before is governed like a new one. Declared impact or read-back always governs.
 */
function governedAfter(entry: PlannedAction, before: ActionDefinition, updated: ActionDefinition): boolean {
  const declares = before.impact.length > 0 || before.verify !== null;
  if (entry.leftUngoverned) return declares;
  return before.governed || (writes(updated) && !writes(before));
}

function writes(definition: ActionDefinition): boolean {
  return adapterDescriptor(definition.adapter.type, definition.adapter.version).writes(definition);
}

/** Change note of every version that an import makes; on version 1 it marks the action as this import's. */
export function importNote(title: string, operationId: string): string {
  return `Imported from ${title}: ${operationId.slice(0, 300)}`;
}

function isOurs(action: NamedAction, title: string, operationId: string): boolean {
  return action.firstNote === importNote(title, operationId);
}
