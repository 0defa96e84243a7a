import { isId, newId } from '../../domain/ids.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { nameTaken } from '../names.ts';
import { getAction } from './queries.ts';
import type { ActionRecord, NewVersion } from './records.ts';

/**
 * Locks the action that `ref` names until the transaction ends, and then reads it, so that changes of one action are serialized.
 * The lock and the read are two statements: the snapshot of a statement that waited for the lock would miss the version that the
 * other transaction has just committed.
 */
export async function lockAction(tx: EnvironmentTransaction, ref: string): Promise<ActionRecord | null> {
  const rows = await tx.rows<{ id: string }>(
    { variantsOf: 'lock_action' },
    isId('action', ref)
      ? 'SELECT id FROM actions WHERE id = ? FOR UPDATE'
      : 'SELECT id FROM actions WHERE name = ? AND archived_at IS NULL FOR UPDATE',
    [ref],
  );
  return rows[0] === undefined ? null : getAction(tx, rows[0].id);
}

export interface VersionPlace {
  id: string;
  environmentId: string;
  actionId: string;
  number: number;
}

async function insertVersion(tx: EnvironmentTransaction, place: VersionPlace, version: NewVersion): Promise<void> {
  await tx.raw(
    'insert_version',
    `INSERT INTO action_versions (id, environment_id, action_id, number, digest, definition, change_note, created_by)
     VALUES (:id, :environmentId, :actionId, :number, :digest, :definition, :changeNote, :createdBy)`,
    {
      ...place,
      digest: version.digest,
      definition: JSON.stringify(version.definition),
      changeNote: version.changeNote,
      createdBy: JSON.stringify(version.createdBy),
    },
  );
}

export interface CreateActionInput {
  environmentId: string;
  name: string;
  description: string | null;
  /** False where it is left out. */
  mcpPinned?: boolean;
  version: NewVersion;
}

/** Creates an action and its version 1. Throws CONFLICT where a live action has the name. */
export async function createAction(tx: EnvironmentTransaction, input: CreateActionInput): Promise<ActionRecord> {
  const { environmentId, name, description, mcpPinned = false, version } = input;
  const [id, versionId] = [newId('action'), newId('actionVersion')];
  await tx
    .raw(
      'create_action',
      `INSERT INTO actions (id, environment_id, name, description, mcp_pinned, current_version_id)
       VALUES (:id, :environmentId, :name, :description, :mcpPinned, :versionId)`,
      { id, environmentId, name, description, mcpPinned, versionId },
    )
    .catch(nameTaken('actions_live_name', name));
  await insertVersion(tx, { id: versionId, environmentId, actionId: id, number: 1 }, version);
  const created = await getAction(tx, id);
  if (created === null) throw new Error(`action ${id} was made and is gone`);
  return created;
}

export interface UpdateActionInput {
  name: string;
  description: string | null;
  /** As it is where it is left out. */
  mcpPinned?: boolean;
  /** Null where the definition is unchanged. */
  version: NewVersion | null;
}

/**
 * Changes an action that the same transaction has locked with `lockAction`, and appends `version` where one is given. Throws
 * CONFLICT where another live action has the name.
 */
export async function updateAction(
  tx: EnvironmentTransaction,
  locked: ActionRecord,
  input: UpdateActionInput,
): Promise<ActionRecord> {
  const { version } = input;
  const versionId = version === null ? locked.currentVersion.id : newId('actionVersion');
  if (version !== null) {
    const { environmentId, id: actionId, currentVersion } = locked;
    await insertVersion(tx, { id: versionId, environmentId, actionId, number: currentVersion.number + 1 }, version);
  }
  await tx
    .raw(
      'update_action',
      `UPDATE actions SET name = :name, description = :description, mcp_pinned = :mcpPinned, current_version_id = :versionId,
         updated_at = now()
       WHERE id = :id`,
      {
        id: locked.id,
        name: input.name,
        description: input.description,
        mcpPinned: input.mcpPinned ?? locked.mcpPinned,
        versionId,
      },
    )
    .catch(nameTaken('actions_live_name', input.name));
  const updated = await getAction(tx, locked.id);
  if (updated === null) throw new Error(`action ${locked.id} was locked and is gone`);
  return updated;
}

/**
 * Archives the action that `ref` names. Its name becomes free, and its history stays readable by id. An action that is archived
 * already is left as it is, and `changed` is false. Returns null where there is no such action.
 */
export async function archiveAction(
  tx: EnvironmentTransaction,
  ref: string,
): Promise<{ action: ActionRecord; changed: boolean } | null> {
  const locked = await lockAction(tx, ref);
  if (locked === null) return null;
  if (locked.archivedAt !== null) return { action: locked, changed: false };
  await tx.raw('archive_action', 'UPDATE actions SET archived_at = now(), updated_at = now() WHERE id = ?', [
    locked.id,
  ]);
  const action = await getAction(tx, locked.id);
  if (action === null) throw new Error(`action ${locked.id} was locked and is gone`);
  return { action, changed: true };
}
