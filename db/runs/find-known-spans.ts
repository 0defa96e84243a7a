import { type KnownSpan, SPAN_DEPTH_MAX } from '../../domain/runs/runs.ts';
import type { EnvironmentTransaction } from '../client.ts';

/** These spans, and what is above these parents as far as a span may be below its root, in a run that the same transaction has locked. */
export async function findKnownSpans(
  tx: EnvironmentTransaction,
  runId: string,
  ids: readonly string[],
  parentIds: readonly string[],
): Promise<KnownSpan[]> {
  const { rows } = await tx.raw<{ rows: KnownSpan[] }>(
    `WITH RECURSIVE above (id, level) AS (
       SELECT unnest(CAST(:parentIds AS text[])) COLLATE "C", 1
       UNION ALL
       SELECT DISTINCT s.parent_id, above.level + 1 FROM above JOIN spans s ON s.run_id = :runId AND s.id = above.id
       WHERE s.parent_id IS NOT NULL AND above.level <= :depthMax)
     SELECT s.id, s.parent_id AS "parentId", s.status, s.started_at AS "startedAt", s.ended_at AS "endedAt", s.invocation_id AS "invocationId",
       s.sent_status AS "sentStatus", s.is_start_sent AS "isStartSent", s.is_end_sent AS "isEndSent", s.error IS NOT NULL AS "hasError"
     FROM spans s WHERE s.run_id = :runId AND s.id IN (SELECT id FROM above UNION SELECT unnest(CAST(:ids AS text[])))`,
    { runId, ids, parentIds, depthMax: SPAN_DEPTH_MAX },
  );
  return rows;
}
