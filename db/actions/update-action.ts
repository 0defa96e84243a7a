import { newId } from '../../domain/ids.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { nameTaken } from '../taken.ts';
import { getAction } from './get-action.ts';
import { insertVersion } from './insert-version.ts';
import type { ActionRecord, NewVersion } from './records.ts';

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
