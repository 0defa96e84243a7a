import type { EnvironmentTransaction } from '../client.ts';
import {
  LISTED_PREVIEW_COLUMNS,
  type ListedPreviewRecord,
  PREVIEW_COLUMNS,
  PREVIEW_TABLES,
  type PreviewRecord,
} from './records.ts';

/** Several previews by their ids, in no particular order. */
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

/** The same for lists, with large members shortened. */
export async function listShortenedPreviewsById(
  tx: EnvironmentTransaction,
  previewIds: readonly string[],
): Promise<ListedPreviewRecord[]> {
  const { rows } = await tx.raw<{ rows: ListedPreviewRecord[] }>(
    `SELECT ${LISTED_PREVIEW_COLUMNS} FROM ${PREVIEW_TABLES} WHERE p.id = ANY(?)`,
    [[...previewIds]],
  );
  return rows;
}
