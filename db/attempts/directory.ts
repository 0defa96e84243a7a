import type { InvocationRef } from '../../domain/refs.ts';
import type { Database } from '../client.ts';

/**
 * Invocations of all environments, oldest first, whose outcome is unknown although an answer of the target is on record. Some of
 * them stay so: another answer or record of the target contradicts it.
 */
export async function findUnsettledAnswers(
  db: Database,
  page: { afterId: string; limit: number },
): Promise<InvocationRef[]> {
  return db.directory.rows<InvocationRef>(
    'find_unsettled_answers',
    `SELECT id AS "invocationId", workspace_id AS "workspaceId", environment_id AS "environmentId"
     FROM find_unsettled_answers(?, ?)`,
    [page.afterId, page.limit],
  );
}
