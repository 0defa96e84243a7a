import type { ApprovalRef } from '../../domain/approvals/approval.ts';
import type { Database } from '../client.ts';

/** Approvals of all environments, oldest first, whose workflow never started or has not seen their current status. */
export async function findUnwatchedApprovals(
  db: Database,
  page: { olderThanSeconds: number; afterId: string; limit: number },
): Promise<ApprovalRef[]> {
  const { rows } = await db.directory.raw<{ rows: ApprovalRef[] }>(
    `SELECT id AS "approvalId", invocation_id AS "invocationId", workspace_id AS "workspaceId", environment_id AS "environmentId"
     FROM find_unwatched_approvals(make_interval(secs => ?), ?, ?)`,
    [page.olderThanSeconds, page.afterId, page.limit],
  );
  return rows;
}
