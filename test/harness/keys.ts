import { createHash, randomUUID } from 'node:crypto';
import type { Principal } from '../../domain/approvals/terms.ts';
import type { Tenant } from '../../db/client.ts';
import type { TestDatabase } from './database.ts';

/** Rows of API keys whose secrets are never used, for code that refers to a key by its id. */
export async function plantKeys(
  database: Pick<TestDatabase, 'asOwner'>,
  tenant: Tenant,
  ids: readonly string[],
  createdBy: string | null = null,
): Promise<void> {
  for (const id of ids) {
    await database.asOwner(
      `INSERT INTO api_keys (id, workspace_id, environment_id, name, key_hash, key_prefix, scopes, created_by)
       VALUES ($1, $2, $3, $4, $5, 'service_live_xxxxx', '{}', $6)`,
      [
        id,
        tenant.workspaceId,
        tenant.environmentId,
        nameOf(id),
        createHash('sha256').update(randomUUID()).digest(),
        createdBy,
      ],
    );
  }
}

/** The principal that decides with such a key. */
export function keyPrincipal(id: string, maker: string | null = null): Principal {
  return { type: 'api_key', id, keyName: nameOf(id), role: null, email: null, maker };
}

const nameOf = (id: string): string => id.replace(/^key_/, '');
