import type { MemoryJobRef } from '../../domain/memory/memory-jobs.ts';
import type { Database } from '../client.ts';

/** Memory jobs of all environments that have not ended and that no workflow has looked at for a while. */
export async function findIdleMemoryJobs(
  db: Database,
  page: { idleSeconds: number; afterId: string; limit: number },
): Promise<MemoryJobRef[]> {
  const { rows } = await db.directory.raw<{ rows: MemoryJobRef[] }>(
    `SELECT id AS "jobId", kind, environment_id AS "environmentId", workspace_id AS "workspaceId"
     FROM find_idle_memory_jobs(make_interval(secs => ?), ?, ?)`,
    [page.idleSeconds, page.afterId, page.limit],
  );
  return rows;
}
