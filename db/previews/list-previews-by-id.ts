import type { EnvironmentTransaction } from '../client.ts';
import { PREVIEW_COLUMNS, PREVIEW_TABLES, type PreviewRecord } from './records.ts';

/** Several previews by their ids, in any order. */
export async function listPreviewsById(
  tx: EnvironmentTransaction,
  previewIds: readonly string[],
): Promise<PreviewRecord[]> {
  const { rows } = await tx.raw<{ rows: PreviewRecord[] }>(
    `SELECT ${PREVIEW_COLUMNS} FROM ${PREVIEW_TABLES} WHERE p.id = ANY(?)`,
    [[...previewIds]],
  );
  return rows;
}
