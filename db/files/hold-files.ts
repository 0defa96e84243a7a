import type { Attachment } from '../../domain/files/attachments.ts';
import type { EnvironmentTransaction } from '../client.ts';

/** What an input may attach: files of the environment whose bytes were checked. In no order; what is missing is left out. */
export async function findAttachable(tx: EnvironmentTransaction, fileIds: readonly string[]): Promise<Attachment[]> {
  const { rows } = await tx.raw<{ rows: Attachment[] }>(
    `SELECT id, filename, content_type AS "contentType", CAST(size AS float8) AS size, sha256 FROM files
     WHERE id = ANY(CAST(:fileIds AS text[])) AND status = 'ready'`,
    { fileIds },
  );
  return rows;
}

/**
 * Keeps files from being deleted until the invocation ends. False where one of them is gone meanwhile: nothing may then be admitted. The
 * lock of their rows makes a deletion wait for this transaction.
 */
export async function holdFiles(
  tx: EnvironmentTransaction,
  invocationId: string,
  fileIds: readonly string[],
): Promise<boolean> {
  const { rowCount } = await tx.raw<{ rowCount: number }>(
    `WITH live AS (
       SELECT id, environment_id FROM files
       WHERE id = ANY(CAST(:fileIds AS text[])) AND status = 'ready' ORDER BY id FOR SHARE)
     INSERT INTO file_holds (file_id, invocation_id, environment_id) SELECT id, :invocationId, environment_id FROM live`,
    { invocationId, fileIds },
  );
  return rowCount === fileIds.length;
}

/** An invocation that still needs the file, once the file's row is locked. */
export async function findHolder(tx: EnvironmentTransaction, fileId: string): Promise<string | null> {
  await tx.raw(`SELECT FROM files WHERE id = ? FOR UPDATE`, [fileId]);
  const { rows } = await tx.raw<{ rows: { invocationId: string }[] }>(
    `SELECT invocation_id AS "invocationId" FROM file_holds
     WHERE file_id = ? ORDER BY invocation_id LIMIT 1`,
    [fileId],
  );
  return rows[0]?.invocationId ?? null;
}
