import type { Database } from '../client.ts';

export interface UnsettledInvocation {
  invocationId: string;
  workspaceId: string;
  environmentId: string;
}

/** Invocations of all environments, oldest first, that were admitted and are not at rest. */
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
