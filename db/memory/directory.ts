import type { Database } from '../client.ts';

export interface MemoryRef {
  workspaceId: string;
  environmentId: string;
  memoryId: string;
}

/** Memories of all environments whose time is over. */
export async function findExpiredMemories(
  db: Database,
  page: { afterId: string; limit: number },
): Promise<MemoryRef[]> {
  return db.directory.rows<MemoryRef>(
    'find_expired_memories',
    `SELECT id AS "memoryId", environment_id AS "environmentId", workspace_id AS "workspaceId" FROM find_expired_memories(?, ?)`,
    [page.afterId, page.limit],
  );
}
