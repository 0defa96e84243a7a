import {
  CONFIRMING_SECONDS,
  COUNTED_BYTES_MIN,
  LATE_UPLOAD_SECONDS,
  UPLOAD_TTL_SECONDS,
} from '../../domain/files/files.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { refuseFullStorage } from '../plans/allowances.ts';

export interface PendingFile {
  id: string;
  upload: 'direct' | 'presigned';
  /** Its presigned URL is the store's own: until that is over, bytes may come there whatever becomes of the file. */
  isSentToStore: boolean;
  filename: string;
  contentType: string;
  /** Reserved of the plan's storage until it is known: all of it where it was promised, and never more than there is. */
  size: number;
  sha256: string | null;
  purpose: string | null;
  metadata: JsonObject;
  createdBy: { type: string; id: string };
}

/**
 * Writes the row of a file before its first byte, so that whatever a killed upload leaves is found by it. Returns how large the file may
 * be in the storage that is left, null for a plan without a limit.
 *
 * @throws {ServiceError} QUOTA_EXCEEDED where the plan's storage is full.
 */
export async function insertPendingFile(tx: EnvironmentTransaction, file: PendingFile): Promise<number | null> {
  await tx.raw(
    'insert_pending_file',
    `INSERT INTO files (id, environment_id, upload, is_sent_to_store, status, filename, content_type, size, sha256, purpose, metadata, created_by,
       expires_at, due_at)
     VALUES (:id, current_environment_id(), :upload, :isSentToStore, 'pending', :filename, :contentType, CAST(:size AS bigint), :sha256, :purpose,
       :metadata, :createdBy, now() + make_interval(secs => :ttl), now() + make_interval(secs => :ttl))`,
    {
      ...file,
      metadata: JSON.stringify(file.metadata),
      createdBy: JSON.stringify(file.createdBy),
      ttl: UPLOAD_TTL_SECONDS,
    },
  );
  const left = await refuseFullStorage(tx);
  return left === null ? null : left + Math.max(file.size, COUNTED_BYTES_MIN);
}

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
    'finish_upload',
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
    'end_failed_upload',
    `UPDATE files SET status = 'deleted', due_at = now() + make_interval(secs => ${LATE_UPLOAD_SECONDS})
     WHERE id = ? AND upload = 'direct' AND status = 'pending'`,
    [fileId],
  );
  const rows = await tx.rows<unknown>('end_failed_upload_2', `SELECT 1 FROM files WHERE id = ? AND status = 'ready'`, [
    fileId,
  ]);
  return rows.length === 0;
}

/**
 * Takes the upload for one confirmation. The check reads all bytes and takes long, so it is no transaction; the lease keeps a second
 * confirmation from exchanging the bytes that the first has read. False if another one holds the lease, or the file is not pending.
 */
export async function beginConfirmation(tx: EnvironmentTransaction, fileId: string, token: string): Promise<boolean> {
  const { rowCount } = await tx.raw<{ rowCount: number }>(
    'begin_confirmation',
    `UPDATE files SET confirm_token = CAST(:token AS uuid), confirming_until = now() + make_interval(secs => ${CONFIRMING_SECONDS})
     WHERE id = :fileId AND status = 'pending' AND upload = 'presigned' AND expires_at > now()
       AND (confirming_until IS NULL OR confirming_until < now())`,
    { fileId, token },
  );
  return rowCount === 1;
}

/** The upload is what was promised. False where its time or the lease was over meanwhile. */
export async function finishConfirmation(
  tx: EnvironmentTransaction,
  { fileId, token, sha256 }: { fileId: string; token: string; sha256: string },
): Promise<boolean> {
  // A PUT to the same URL may still come. Its bytes are removed once no further one can come.
  const { rowCount } = await tx.raw<{ rowCount: number }>(
    'finish_confirmation',
    `UPDATE files SET status = 'ready', sha256 = :sha256, confirmed_at = now(), confirm_token = NULL, confirming_until = NULL,
       due_at = expires_at + make_interval(secs => ${LATE_UPLOAD_SECONDS})
     WHERE id = :fileId AND status = 'pending' AND confirm_token = CAST(:token AS uuid) AND confirming_until > now()`,
    { fileId, token, sha256 },
  );
  return rowCount === 1;
}

/** False where the lease was over: what is stored may then be another's. */
export async function extendConfirmation(tx: EnvironmentTransaction, fileId: string, token: string): Promise<boolean> {
  const { rowCount } = await tx.raw<{ rowCount: number }>(
    'extend_confirmation',
    `UPDATE files SET confirming_until = now() + make_interval(secs => ${CONFIRMING_SECONDS})
     WHERE id = :fileId AND status = 'pending' AND confirm_token = CAST(:token AS uuid) AND confirming_until > now()`,
    { fileId, token },
  );
  return rowCount === 1;
}

/** Ends the lease of a confirmation that failed, so that the caller can upload again. */
export async function endConfirmation(tx: EnvironmentTransaction, fileId: string, token: string): Promise<void> {
  await tx.raw(
    'end_confirmation',
    `UPDATE files SET confirm_token = NULL, confirming_until = NULL WHERE id = :fileId AND confirm_token = CAST(:token AS uuid)`,
    { fileId, token },
  );
}
