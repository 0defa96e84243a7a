import type { WorkspaceTransaction } from '../client.ts';
import { selected } from '../columns.ts';
import { ENVIRONMENT_COLUMNS, type EnvironmentRecord } from './records.ts';

/** One page of the workspace's environments, newest first, with the total count. */
export async function listEnvironments(
  tx: WorkspaceTransaction,
  range: { limit: number; offset: number },
): Promise<{ items: EnvironmentRecord[]; total: number }> {
  const counted = await tx.raw<{ rows: { total: number }[] }>('SELECT count(*)::int AS total FROM environments');
  const page = await tx.raw<{ rows: EnvironmentRecord[] }>(
    `SELECT ${selected(ENVIRONMENT_COLUMNS)} FROM environments ORDER BY created_at DESC, id DESC LIMIT :limit OFFSET :offset`,
    range,
  );
  return { items: page.rows, total: counted.rows[0]?.total ?? 0 };
}
