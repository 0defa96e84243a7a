import type { Database, EnvironmentTransaction } from '../client.ts';

export interface DueFile {
  fileId: string;
  environmentId: string;
  workspaceId: string;
}

/** Files of all environments that something is left to do for, in id order. */
export async function findDueFiles(db: Database, page: { afterId: string; limit: number }): Promise<DueFile[]> {
  return db.directory.rows<DueFile>(
    'find_due_files',
    `SELECT id AS "fileId", environment_id AS "environmentId", workspace_id AS "workspaceId" FROM find_due_files(?, ?)`,
    [page.afterId, page.limit],
  );
}

/** Ends an upload whose time is over, and returns the file's new state. Null if nothing is due any longer. */
export async function expireFile(
  tx: EnvironmentTransaction,
  fileId: string,
): Promise<'pending' | 'ready' | 'deleted' | null> {
  await tx.raw(
    'expire_file',
    `UPDATE files SET status = 'deleted' WHERE id = ? AND status = 'pending' AND expires_at < now()`,
    [fileId],
  );
  const row = await tx.row<{ status: 'pending' | 'ready' | 'deleted' }>(
    'expire_file_2',
    'SELECT status FROM files WHERE id = ? AND due_at < now()',
    [fileId],
  );
  return row?.status ?? null;
}

/** No bytes can come to the URL of its upload any longer, and those that came are removed. */
export async function settleFile(tx: EnvironmentTransaction, fileId: string): Promise<void> {
  await tx.raw('settle_file', `UPDATE files SET due_at = NULL WHERE id = ? AND status = 'ready' AND due_at < now()`, [
    fileId,
  ]);
}
