import { LATE_UPLOAD_SECONDS } from '../../domain/files/files.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { refuseFullStorage } from '../plans/refuse-full-storage.ts';

export interface FinishedUpload {
  fileId: string;
  size: number;
  sha256: string;
  purpose: string | null;
  metadata: JsonObject;
}

/**
 * Marks a direct upload as complete. False if its time was over meanwhile: the sweep has removed it.
 *
 * @throws {ServiceError} QUOTA_EXCEEDED where it exceeds the plan's storage: more bytes may have come than were reserved.
 */
export async function finishUpload(tx: EnvironmentTransaction, upload: FinishedUpload): Promise<boolean> {
  const { rowCount } = await tx.raw<{ rowCount: number }>(
    `UPDATE files SET status = 'ready', size = CAST(:size AS bigint), sha256 = :sha256, purpose = :purpose, metadata = :metadata,
       confirmed_at = now(), due_at = NULL
     WHERE id = :fileId AND upload = 'direct' AND status = 'pending'`,
    { ...upload, metadata: JSON.stringify(upload.metadata) },
  );
  if (rowCount !== 1) return false;
  await refuseFullStorage(tx);
  return true;
}

/**
 * Ends a direct upload that failed. False where the file is ready all the same, because the commit of its last step succeeded and the answer
 * was lost: then its bytes stay. The row leads to the bytes for as long as they may still arrive.
 */
export async function endFailedUpload(tx: EnvironmentTransaction, fileId: string): Promise<boolean> {
  // Waits for that commit where it is still under way.
  await tx.raw(
    `UPDATE files SET status = 'deleted', due_at = now() + make_interval(secs => ${LATE_UPLOAD_SECONDS})
     WHERE id = ? AND upload = 'direct' AND status = 'pending'`,
    [fileId],
  );
  const { rows } = await tx.raw<{ rows: unknown[] }>(`SELECT 1 FROM files WHERE id = ? AND status = 'ready'`, [fileId]);
  return rows.length === 0;
}
