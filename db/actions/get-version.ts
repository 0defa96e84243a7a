import type { EnvironmentTransaction } from '../client.ts';
import { selected } from '../columns.ts';
import { VERSION_COLUMNS, type ActionVersionRecord } from './records.ts';

export async function getActionVersion(
  tx: EnvironmentTransaction,
  versionId: string,
): Promise<ActionVersionRecord | null> {
  const { rows } = await tx.raw<{ rows: ActionVersionRecord[] }>(
    `SELECT ${selected(VERSION_COLUMNS)} FROM action_versions WHERE id = ?`,
    [versionId],
  );
  return rows[0] ?? null;
}
