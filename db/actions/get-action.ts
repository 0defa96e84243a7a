import { isId } from '../../domain/ids.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { ACTION_COLUMNS, toActionRecord, type ActionRecord, type ActionRow } from './records.ts';

const SELECTED = Object.entries(ACTION_COLUMNS)
  .map(([name, column]) => `${column} AS "${name}"`)
  .join(', ');

/**
 * Finds an action by `ref`: an id, which also finds an archived action, or the name of a live action. No name has the form of an
 * id, so a ref is never ambiguous.
 */
export async function getAction(tx: EnvironmentTransaction, ref: string): Promise<ActionRecord | null> {
  const which = isId('action', ref) ? 'actions.id = ?' : 'actions.name = ? AND actions.archived_at IS NULL';
  const { rows } = await tx.raw<{ rows: ActionRow[] }>(
    `SELECT ${SELECTED} FROM actions JOIN action_versions ON action_versions.id = actions.current_version_id WHERE ${which}`,
    [ref],
  );
  return rows[0] === undefined ? null : toActionRecord(rows[0]);
}
