import type { EnvironmentTransaction } from '../client.ts';
import { getAction } from './get-action.ts';
import { lockAction } from './lock-action.ts';
import type { ActionRecord } from './records.ts';

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
  await tx.raw('UPDATE actions SET archived_at = now(), updated_at = now() WHERE id = ?', [locked.id]);
  const action = await getAction(tx, locked.id);
  if (action === null) throw new Error(`action ${locked.id} was locked and is gone`);
  return { action, changed: true };
}
