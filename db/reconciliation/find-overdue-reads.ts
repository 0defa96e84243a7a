import type { Database } from '../client.ts';
import type { EffectToRead } from '../../domain/refs.ts';
import type { Stage } from '../../domain/lifecycle.ts';

export interface OverdueRead extends EffectToRead {
  stage: Extract<Stage, 'reconciling' | 'settled'>;
}

/** Effects of all environments, oldest first, whose next read is overdue or was never planned. */
export async function findOverdueReads(
  db: Database,
  page: { overdueBySeconds: number; afterId: string; limit: number },
): Promise<OverdueRead[]> {
  const { rows } = await db.directory.raw<{ rows: OverdueRead[] }>(
    `SELECT id AS "effectId", invocation_id AS "invocationId", action_name AS "actionName", stage, grade,
       workspace_id AS "workspaceId", environment_id AS "environmentId"
     FROM find_overdue_reads(make_interval(secs => ?), ?, ?)`,
    [page.overdueBySeconds, page.afterId, page.limit],
  );
  return rows;
}
