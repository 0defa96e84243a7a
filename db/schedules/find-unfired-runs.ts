import type { FiringRef } from '../../domain/schedules/schedules.ts';
import type { Database } from '../client.ts';

/** A firing, and the key by which the sweep pages. */
export type UnfiredRun = FiringRef & { id: string };
type Row = Omit<UnfiredRun, 'nominalAt'> & { nominalAt: Date };

/** Runs of all environments that nobody fires: their start was lost, or nobody told them that their wait is over. */
export async function findUnfiredRuns(
  db: Database,
  page: { olderThanSeconds: number; afterId: string; limit: number },
): Promise<UnfiredRun[]> {
  const { rows } = await db.directory.raw<{ rows: Row[] }>(
    `SELECT id, trigger, schedule_id AS "scheduleId", nominal_at AS "nominalAt", workspace_id AS "workspaceId", environment_id AS "environmentId"
     FROM find_unfired_runs(make_interval(secs => ?), ?, ?)`,
    [page.olderThanSeconds, page.afterId, page.limit],
  );
  return rows.map((row) => ({ ...row, nominalAt: row.nominalAt.toISOString() }));
}
