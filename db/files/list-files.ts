import { type Page, pageOf, type Range } from '../page.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { FILE_COLUMNS, type FileRecord, IS_FILE } from './records.ts';

export interface FileFilter {
  status: 'pending' | 'ready' | null;
  purpose: string | null;
}

/** Newest first, ties by id. */
export async function listFiles(tx: EnvironmentTransaction, filter: FileFilter & Range): Promise<Page<FileRecord>> {
  return pageOf(tx, {
    columns: FILE_COLUMNS,
    from: 'files f',
    where: `f.environment_id = current_environment_id() AND ${IS_FILE}`,
    filters: { status: 'f.status = :status', purpose: 'f.purpose = :purpose' },
    order: 'f.created_at DESC, f.id DESC',
    asked: filter,
  });
}
