import type { EnvironmentTransaction } from '../client.ts';

/** Whether the approval was posted to this integration, or refused by it for good. */
export async function isPosted(
  tx: EnvironmentTransaction,
  { approvalId, integrationId }: { approvalId: string; integrationId: string },
): Promise<boolean> {
  const { rows } = await tx.raw<{ rows: unknown[] }>(
    'SELECT 1 FROM chat_posts WHERE approval_id = ? AND integration_id = ?',
    [approvalId, integrationId],
  );
  return rows.length > 0;
}

/** Idempotent: the first record stays. `error`: the chat refused it. */
export async function recordPost(
  tx: EnvironmentTransaction,
  { approvalId, integrationId, error }: { approvalId: string; integrationId: string; error: string | null },
): Promise<void> {
  await tx.raw(
    `INSERT INTO chat_posts (approval_id, integration_id, environment_id, status, error)
     VALUES (:approvalId, :integrationId, current_environment_id(), :status, :error) ON CONFLICT DO NOTHING`,
    { approvalId, integrationId, status: error === null ? 'posted' : 'refused', error: error?.slice(0, 500) ?? null },
  );
}
