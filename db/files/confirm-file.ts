import { CONFIRMING_SECONDS, LATE_UPLOAD_SECONDS } from '../../domain/files/files.ts';
import type { EnvironmentTransaction } from '../client.ts';

/**
 * Takes the upload for one confirmation. The check reads all bytes and takes long, so it is no transaction; the lease keeps a second
 * confirmation from exchanging the bytes that the first has read. False if another one holds the lease, or the file is not pending.
 */
export async function beginConfirmation(tx: EnvironmentTransaction, fileId: string, token: string): Promise<boolean> {
  const { rowCount } = await tx.raw<{ rowCount: number }>(
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
    `UPDATE files SET confirming_until = now() + make_interval(secs => ${CONFIRMING_SECONDS})
     WHERE id = :fileId AND status = 'pending' AND confirm_token = CAST(:token AS uuid) AND confirming_until > now()`,
    { fileId, token },
  );
  return rowCount === 1;
}

/** Ends the lease of a confirmation that failed, so that the caller can upload again. */
export async function endConfirmation(tx: EnvironmentTransaction, fileId: string, token: string): Promise<void> {
  await tx.raw(
    `UPDATE files SET confirm_token = NULL, confirming_until = NULL WHERE id = :fileId AND confirm_token = CAST(:token AS uuid)`,
    { fileId, token },
  );
}
