import { isId } from '../../domain/ids.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { ACTION_COLUMNS, toActionRecord, type ActionRecord, type ActionRow } from './records.ts';

const SELECTED = Object.entries(ACTION_COLUMNS)
  .map(([name, column]) => `${column} AS "${name}"`)
  .join(', ');

/**
 * The action that `ref` names: an id (archived ones too: history stays readable) or the name of a live action. No name has the
 * form of an id, so a ref means one thing.
 */
export async function getAction(tx: EnvironmentTransaction, ref: string): Promise<ActionRecord | null> {
  const which = isId('action', ref) ? 'actions.id = ?' : 'actions.name = ? AND actions.archived_at IS NULL';
  const { rows } = await tx.raw<{ rows: ActionRow[] }>(
    `SELECT ${SELECTED} FROM actions JOIN action_versions ON action_versions.id = actions.current_version_id WHERE ${which}`,
    [ref],
  );
  return rows[0] === undefined ? null : toActionRecord(rows[0]);
}
