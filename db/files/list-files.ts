import type { EnvironmentTransaction } from '../client.ts';
import { FILE_COLUMNS, type FileRecord, IS_FILE } from './records.ts';

export interface FileFilter {
  status: 'pending' | 'ready' | null;
  purpose: string | null;
}

/** Newest first, ties by id. */
export async function listFiles(
  tx: EnvironmentTransaction,
  filter: FileFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ items: FileRecord[]; total: number }> {
  const where = `f.environment_id = current_environment_id() AND ${IS_FILE}
    AND (CAST(:status AS text) IS NULL OR f.status = :status) AND (CAST(:purpose AS text) IS NULL OR f.purpose = :purpose)`;
  const counted = await tx.raw<{ rows: { total: number }[] }>(
    `SELECT count(*)::int AS total FROM files f WHERE ${where}`,
    { ...filter },
  );
  const { rows } = await tx.raw<{ rows: FileRecord[] }>(
    `SELECT ${FILE_COLUMNS} FROM files f WHERE ${where} ORDER BY f.created_at DESC, f.id DESC LIMIT :limit OFFSET :offset`,
    { ...filter, limit, offset },
  );
  return { items: rows, total: counted.rows[0]?.total ?? 0 };
}
