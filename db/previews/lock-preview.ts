import type { EnvironmentTransaction } from '../client.ts';
import { getPreview } from './get-preview.ts';
import type { PreviewRecord } from './records.ts';

/**
 * Reads a preview for a caller that uses or supersedes it, and excludes others that do until the transaction ends. The lock is
 * advisory: the row is immutable, so the application has no right to lock it.
 */
export async function lockPreview(tx: EnvironmentTransaction, previewId: string): Promise<PreviewRecord | null> {
  // Two statements, sent together: the second has its own snapshot, which contains what was committed while the first one waited.
  const [, preview] = await tx.inOrder(
    () => tx.raw('SELECT pg_advisory_xact_lock(preview_lock_of(?))', [previewId]),
    () => getPreview(tx, previewId),
  );
  return preview;
}
