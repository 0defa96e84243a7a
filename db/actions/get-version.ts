import type { EnvironmentTransaction } from '../client.ts';
import { selected } from '../columns.ts';
import { VERSION_COLUMNS, type ActionVersionRecord } from './records.ts';

/** One version of an action, with its whole definition. */
export async function getVersion(
  tx: EnvironmentTransaction,
  actionId: string,
  number: number,
): Promise<ActionVersionRecord | null> {
  const { rows } = await tx.raw<{ rows: ActionVersionRecord[] }>(
    `SELECT ${selected(VERSION_COLUMNS)}, definition FROM action_versions WHERE action_id = ? AND number = ?`,
    [actionId, number],
  );
  return rows[0] ?? null;
}
