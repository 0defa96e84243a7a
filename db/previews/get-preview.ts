import type { EnvironmentTransaction } from '../client.ts';
import { PREVIEW_COLUMNS, PREVIEW_TABLES, type PreviewRecord } from './records.ts';

export async function getPreview(tx: EnvironmentTransaction, previewId: string): Promise<PreviewRecord | null> {
  const { rows } = await tx.raw<{ rows: PreviewRecord[] }>(
    `SELECT ${PREVIEW_COLUMNS} FROM ${PREVIEW_TABLES} WHERE p.id = ?`,
    [previewId],
  );
  return rows[0] ?? null;
}
