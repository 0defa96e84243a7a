import type { Database } from '../client.ts';

export interface UnsettledInvocation {
  invocationId: string;
  workspaceId: string;
  environmentId: string;
}

/** Across all environments, oldest first: invocations that were admitted and have not come to rest. */
export async function findUnsettledInvocations(
  db: Database,
  page: { olderThanSeconds: number; afterId: string; limit: number },
): Promise<UnsettledInvocation[]> {
  const { rows } = await db.directory.raw<{ rows: UnsettledInvocation[] }>(
    `SELECT id AS "invocationId", workspace_id AS "workspaceId", environment_id AS "environmentId"
     FROM find_unsettled_invocations(make_interval(secs => ?), ?, ?)`,
    [page.olderThanSeconds, page.afterId, page.limit],
  );
  return rows;
}
