import type { JsonObject } from '../../domain/json.ts';
import type { Attachment } from '../../domain/files/attachments.ts';
import { LATE_UPLOAD_SECONDS, REMOVAL_LOST_SECONDS } from '../../domain/files/files.ts';
import { selected } from '../columns.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { type Page, pageOf, type Range } from '../page.ts';

export interface FileRecord {
  id: string;
  filename: string;
  contentType: string;
  /** Bytes. Pending: what is reserved. */
  size: number;
  /** Hex. Pending: what was promised, or null. */
  sha256: string | null;
  status: 'pending' | 'ready';
  purpose: string | null;
  metadata: JsonObject;
  createdAt: Date;
  confirmedAt: Date | null;
  /** Pending: until when it may be uploaded and confirmed. */
  expiresAt: Date;
}

const FILE_COLUMNS = selected({
  id: 'f.id',
  filename: 'f.filename',
  contentType: 'f.content_type',
  size: 'CAST(f.size AS float8)',
  sha256: 'f.sha256',
  status: 'f.status',
  purpose: 'f.purpose',
  metadata: 'f.metadata',
  createdAt: 'f.created_at',
  confirmedAt: 'f.confirmed_at',
  expiresAt: 'f.expires_at',
});

/** A direct upload is not a file before its last byte; an expired or deleted file no longer is one. */
const IS_FILE = `(f.status = 'ready' OR (f.status = 'pending' AND f.upload = 'presigned' AND f.expires_at > now()))`;

export async function getFile(tx: EnvironmentTransaction, fileId: string): Promise<FileRecord | null> {
  return tx.row<FileRecord>('get_file', `SELECT ${FILE_COLUMNS} FROM files f WHERE f.id = ? AND ${IS_FILE}`, [fileId]);
}

export interface FileFilter {
  status: 'pending' | 'ready' | null;
  purpose: string | null;
}

/** Newest first, ties by id. */
export async function listFiles(tx: EnvironmentTransaction, filter: FileFilter & Range): Promise<Page<FileRecord>> {
  return pageOf(tx, {
    name: 'list_files',
    columns: FILE_COLUMNS,
    from: 'files f',
    where: `f.environment_id = current_environment_id() AND ${IS_FILE}`,
    filters: { status: 'f.status = :status', purpose: 'f.purpose = :purpose' },
    order: 'f.created_at DESC, f.id DESC',
    asked: filter,
  });
}

/** What an input may attach: files of the environment whose bytes were checked. In no order; what is missing is left out. */
export async function findAttachable(tx: EnvironmentTransaction, fileIds: readonly string[]): Promise<Attachment[]> {
  return tx.rows<Attachment>(
    'find_attachable',
    `SELECT id, filename, content_type AS "contentType", CAST(size AS float8) AS size, sha256 FROM files
     WHERE id = ANY(CAST(:fileIds AS text[])) AND status = 'ready'`,
    { fileIds },
  );
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
    'hold_files',
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
  await tx.raw('find_holder', `SELECT FROM files WHERE id = ? FOR UPDATE`, [fileId]);
  const row = await tx.row<{ invocationId: string }>(
    'find_holder_2',
    `SELECT invocation_id AS "invocationId" FROM file_holds
     WHERE file_id = ? ORDER BY invocation_id LIMIT 1`,
    [fileId],
  );
  return row?.invocationId ?? null;
}

export interface DeletedFile {
  filename: string;
  size: number;
}

/** From here on it is gone for every caller. Its bytes are removed next, or by the sweep where this process dies before. */
export async function deleteFile(tx: EnvironmentTransaction, fileId: string): Promise<DeletedFile | null> {
  return tx.row<DeletedFile>(
    'delete_file',
    `UPDATE files f SET status = 'deleted', due_at = now() + make_interval(secs => ${REMOVAL_LOST_SECONDS})
     WHERE f.id = ? AND ${IS_FILE} RETURNING f.filename, CAST(f.size AS float8) AS size`,
    [fileId],
  );
}

/**
 * Its bytes are removed. The row goes too, unless the URL of its upload may still bring bytes: then the row stays until after that time.
 * If that URL is the store's own, the file counts against the plan's storage for as long (`storage_of`): a caller who deletes such a file
 * and presigns another could otherwise store both.
 */
export async function forgetFile(tx: EnvironmentTransaction, fileId: string): Promise<void> {
  const lateUntil = `expires_at + make_interval(secs => ${LATE_UPLOAD_SECONDS})`;
  await tx.raw(
    'forget_file',
    `DELETE FROM files WHERE id = ? AND status = 'deleted' AND (upload = 'direct' OR ${lateUntil} < now())`,
    [fileId],
  );
  await tx.raw('forget_file_2', `UPDATE files SET due_at = ${lateUntil} WHERE id = ? AND status = 'deleted'`, [fileId]);
}
