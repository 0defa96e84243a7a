import { newId } from '../../domain/ids.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { nameTaken } from '../taken.ts';
import { getAction } from './get-action.ts';
import { insertVersion } from './insert-version.ts';
import type { ActionRecord, NewVersion } from './records.ts';

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
