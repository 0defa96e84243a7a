import type { UserTransaction, WorkspaceTransaction } from '../client.ts';
import { type AuditChange, recordAudit } from './record-audit.ts';

/**
 * Appends an event of a user's account to the audit log of every workspace that the user belongs to, or of the one that it concerns. An
 * account belongs to no workspace, and each of them relies on it. The chains are locked in the order of the workspaces' ids, so that two
 * calls cannot deadlock. These must be the last statements of the transaction.
 */
export async function recordAccountAudit(
  tx: UserTransaction,
  userId: string,
  change: Omit<AuditChange, 'workspaceId'> & { workspaceId?: string },
): Promise<void> {
  const { rows } = await tx.raw<{ rows: { id: string }[] }>(
    'SELECT id FROM list_workspaces_of_user(?) WHERE coalesce(id = ?::uuid, true) ORDER BY id',
    [userId, change.workspaceId ?? null],
  );
  for (const { id: workspaceId } of rows) {
    await scopeTo(tx, workspaceId);
    // From here on the transaction's settings name this workspace, and no environment.
    await recordAudit(tx as unknown as WorkspaceTransaction, { ...change, workspaceId });
  }
  await scopeTo(tx, '');
}

async function scopeTo(tx: UserTransaction, workspaceId: string): Promise<void> {
  await tx.raw("SELECT set_config('app.workspace_id', ?, true)", [workspaceId]);
}
