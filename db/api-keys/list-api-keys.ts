import { type Page, pageOf, type Range } from '../page.ts';
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
export async function listApiKeys(tx: WorkspaceTransaction, range: Range): Promise<Page<ListedApiKey>> {
  return pageOf(tx, {
    columns: `id, name, key_prefix AS "keyPrefix", revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now()) AS "isActive",
        created_at AS "createdAt", expires_at AS "expiresAt", last_used_at AS "lastUsedAt", created_by AS "createdBy"`,
    from: 'api_keys',
    order: 'created_at DESC, id DESC',
    asked: range,
  });
}
