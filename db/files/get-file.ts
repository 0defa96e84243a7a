import type { EnvironmentTransaction } from '../client.ts';
import { FILE_COLUMNS, type FileRecord, IS_FILE } from './records.ts';

export async function getFile(tx: EnvironmentTransaction, fileId: string): Promise<FileRecord | null> {
  const { rows } = await tx.raw<{ rows: FileRecord[] }>(
    `SELECT ${FILE_COLUMNS} FROM files f WHERE f.id = ? AND ${IS_FILE}`,
    [fileId],
  );
  return rows[0] ?? null;
}
