import type { Database } from '../client.ts';

export interface UnsettledInvocation {
  invocationId: string;
  workspaceId: string;
  environmentId: string;
}

/** The invocations of one look: twice as many starts of a minute at most, ten at once. */
export const LOOKED_AT_MAX = 2_000;

/**
 * Invocations of all environments, oldest first, that were admitted and are not at rest. A call looks at the newest `most`, and at `most` of
 * all, where the last call stopped.
 */
export async function findUnsettledInvocations(
  db: Database,
  look: { olderThanSeconds: number; most: number },
): Promise<UnsettledInvocation[]> {
  const { rows } = await db.directory.raw<{ rows: UnsettledInvocation[] }>(
    `SELECT id AS "invocationId", workspace_id AS "workspaceId", environment_id AS "environmentId"
     FROM find_unsettled_invocations(make_interval(secs => ?), ?)`,
    [look.olderThanSeconds, look.most],
  );
  return rows;
}
