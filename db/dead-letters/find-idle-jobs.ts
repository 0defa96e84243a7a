import type { DeadLetterJobRef, JobKind } from '../../domain/dead-letters/dead-letters.ts';
import type { Database } from '../client.ts';

/** Jobs of all environments that have not ended and that no workflow has looked at for a while. */
export async function findIdleJobs(
  db: Database,
  page: { idleSeconds: number; afterId: string; limit: number },
): Promise<DeadLetterJobRef[]> {
  const { rows } = await db.directory.raw<{
    rows: { id: string; kind: JobKind; workspace_id: string; environment_id: string }[];
  }>('SELECT id, kind, workspace_id, environment_id FROM find_idle_dead_letter_jobs(make_interval(secs => ?), ?, ?)', [
    page.idleSeconds,
    page.afterId,
    page.limit,
  ]);
  return rows.map((row) => ({
    jobId: row.id,
    kind: row.kind,
    workspaceId: row.workspace_id,
    environmentId: row.environment_id,
  }));
}
