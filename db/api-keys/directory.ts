import { isScope, type Scope } from '../../domain/scopes.ts';
import type { Database } from '../client.ts';
import { type CallerEnvironment, callerEnvironmentOf, type CallerEnvironmentRow } from '../environments/callers.ts';

/** What the holder of a key may do, and in which environment. It contains neither the key nor its hash. */
export interface ApiKeyGrant {
  keyId: string;
  workspaceId: string;
  environment: CallerEnvironment;
  preset: string | null;
  scopes: ReadonlySet<Scope>;
  expiresAt: Date | null;
  lastUsedAt: Date | null;
}

interface Row extends CallerEnvironmentRow {
  id: string;
  workspace_id: string;
  preset: string | null;
  scopes: string[];
  expires_at: Date | null;
  last_used_at: Date | null;
}

/** The grant of the key with this SHA-256 hash. Null where there is none, or where it is revoked or expired. */
export async function findApiKey(db: Database, hash: Buffer): Promise<ApiKeyGrant | null> {
  const row = await db.directory.row<Row>('find_api_key', 'SELECT * FROM find_api_key(?)', [hash]);
  if (row === null) return null;
  return {
    keyId: row.id,
    workspaceId: row.workspace_id,
    environment: callerEnvironmentOf(row),
    preset: row.preset,
    scopes: new Set(row.scopes.filter(isScope)),
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
  };
}
