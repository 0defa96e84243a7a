import { isId } from '../../domain/ids.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { getAction } from './get-action.ts';
import type { ActionRecord } from './records.ts';

/**
 * Locks the action that `ref` names until the transaction ends, and then reads it, so that changes of one action are serialized.
 * The lock and the read are two statements: the snapshot of a statement that waited for the lock would miss the version that the
 * other transaction has just committed.
 */
export async function lockAction(tx: EnvironmentTransaction, ref: string): Promise<ActionRecord | null> {
  const { rows } = await tx.raw<{ rows: { id: string }[] }>(
    isId('action', ref)
      ? 'SELECT id FROM actions WHERE id = ? FOR UPDATE'
      : 'SELECT id FROM actions WHERE name = ? AND archived_at IS NULL FOR UPDATE',
    [ref],
  );
  return rows[0] === undefined ? null : getAction(tx, rows[0].id);
}
