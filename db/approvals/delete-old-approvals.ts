import type { Database } from '../client.ts';

/** Deletes these approvals with their decisions. Returns the number deleted. */
export async function deleteOldApprovals(db: Database, ids: readonly string[]): Promise<number> {
  const { rows } = await db.directory.raw<{ rows: { deleted: number }[] }>(
    'SELECT delete_old_approvals(?::text[]) AS deleted',
    [[...ids]],
  );
  return rows[0]?.deleted ?? 0;
}
