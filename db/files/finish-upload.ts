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

/** Forgets a direct upload that failed, once its bytes are gone. */
export async function dropUpload(tx: EnvironmentTransaction, fileId: string): Promise<void> {
  await tx.raw(`DELETE FROM files WHERE id = ? AND upload = 'direct' AND status = 'pending'`, [fileId]);
}
