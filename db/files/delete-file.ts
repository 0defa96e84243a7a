import { LATE_UPLOAD_SECONDS, REMOVAL_LOST_SECONDS } from '../../domain/files/files.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { IS_FILE } from './records.ts';

export interface DeletedFile {
  filename: string;
  size: number;
}

/** From here on it is gone for every caller. Its bytes are removed next, or by the sweep where this process dies before. */
export async function deleteFile(tx: EnvironmentTransaction, fileId: string): Promise<DeletedFile | null> {
  const { rows } = await tx.raw<{ rows: DeletedFile[] }>(
    `UPDATE files f SET status = 'deleted', due_at = now() + make_interval(secs => ${REMOVAL_LOST_SECONDS})
     WHERE f.id = ? AND ${IS_FILE} RETURNING f.filename, CAST(f.size AS float8) AS size`,
    [fileId],
  );
  return rows[0] ?? null;
}

/**
 * Its bytes are removed. The row goes too, unless the URL of its upload may still bring bytes: then the row stays until after that time.
 * If that URL is the store's own, the file counts against the plan's storage for as long (`storage_of`): a caller who deletes such a file
 * and presigns another could otherwise store both.
 */
export async function forgetFile(tx: EnvironmentTransaction, fileId: string): Promise<void> {
  const lateUntil = `expires_at + make_interval(secs => ${LATE_UPLOAD_SECONDS})`;
  await tx.raw(
    `DELETE FROM files WHERE id = ? AND status = 'deleted' AND (upload = 'direct' OR ${lateUntil} < now())`,
    [fileId],
  );
  await tx.raw(`UPDATE files SET due_at = ${lateUntil} WHERE id = ? AND status = 'deleted'`, [fileId]);
}
