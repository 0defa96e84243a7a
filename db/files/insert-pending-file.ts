import { COUNTED_BYTES_MIN, UPLOAD_TTL_SECONDS } from '../../domain/files/files.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { refuseFullStorage } from '../plans/refuse-full-storage.ts';

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
