import type { ScheduleRef } from '../../domain/schedules/schedules.ts';
import type { Database } from '../client.ts';

/** Schedules of all environments that Temporal must be told of. */
export async function findUntoldSchedules(
  db: Database,
  page: { olderThanSeconds: number; overdueBySeconds: number; afterId: string; limit: number },
): Promise<ScheduleRef[]> {
  const { rows } = await db.directory.raw<{ rows: ScheduleRef[] }>(
    `SELECT id AS "scheduleId", workspace_id AS "workspaceId", environment_id AS "environmentId"
     FROM find_untold_schedules(make_interval(secs => ?), make_interval(secs => ?), ?, ?)`,
    [page.olderThanSeconds, page.overdueBySeconds, page.afterId, page.limit],
  );
  return rows;
}
