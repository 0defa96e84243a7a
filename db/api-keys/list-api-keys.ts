import type { WorkspaceTransaction } from '../client.ts';

/** A key as the workspace's list shows it (docs/identity.md, "API keys"). */
export interface ListedApiKey {
  id: string;
  name: string;
  keyPrefix: string;
  isActive: boolean;
  createdAt: Date;
  expiresAt: Date | null;
  lastUsedAt: Date | null;
  /** The member who created it; null for the operator. */
  createdBy: string | null;
}

/** The keys of all environments of the transaction's workspace, newest first, including revoked ones. */
export async function listApiKeys(
  tx: WorkspaceTransaction,
  page: { limit: number; offset: number },
): Promise<{ total: number; items: ListedApiKey[] }> {
  const { rows: counted } = await tx.raw<{ rows: { total: number }[] }>('SELECT count(*)::int AS total FROM api_keys');
  const { rows: items } = await tx.raw<{ rows: ListedApiKey[] }>(
    `SELECT id, name, key_prefix AS "keyPrefix", revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now()) AS "isActive",
       created_at AS "createdAt", expires_at AS "expiresAt", last_used_at AS "lastUsedAt", created_by AS "createdBy"
     FROM api_keys ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?`,
    [page.limit, page.offset],
  );
  return { total: counted[0]?.total ?? 0, items };
}
