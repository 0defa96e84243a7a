import { isId } from '../../domain/ids.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { getAction } from './get-action.ts';
import type { ActionRecord } from './records.ts';

/**
 * Locks the action that `ref` names until the transaction ends, and reads it after: changes of one action come one after the
 * other. Two statements, because the snapshot of a statement that waited for the lock would miss the version that the other
 * transaction has just made.
 */
export async function lockAction(tx: EnvironmentTransaction, ref: string): Promise<ActionRecord | null> {
  const query = tx('actions').select<{ id: string }[]>('id').forUpdate();
  const rows = await (isId('action', ref)
    ? query.where({ id: ref })
    : query.where({ name: ref }).whereNull('archived_at'));
  return rows[0] === undefined ? null : getAction(tx, rows[0].id);
}
