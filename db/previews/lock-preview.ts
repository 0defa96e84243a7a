import type { EnvironmentTransaction } from '../client.ts';
import { getPreview } from './get-preview.ts';
import type { PreviewRecord } from './records.ts';

/**
 * A preview as it is now, for a caller that uses or supersedes it: nothing else does until this transaction ends. (An
 * advisory lock: the row itself is immutable, so the application may not lock it.)
 */
export async function lockPreview(tx: EnvironmentTransaction, previewId: string): Promise<PreviewRecord | null> {
  // Sent together; the second statement has a snapshot of its own, which holds what was committed while the first one waited.
  const [, preview] = await Promise.all([
    tx.raw('SELECT pg_advisory_xact_lock(preview_lock_of(?))', [previewId]),
    getPreview(tx, previewId),
  ]);
  return preview;
}
