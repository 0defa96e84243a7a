import type { EnvironmentTransaction } from '../client.ts';
import { TOKENS_OF_SPANS } from './update-run.ts';

/**
 * The run that was made for a trace, or null. No other transaction makes one until this one ends: concurrent batches of a trace have one
 * run. (A unique index cannot say so: it would have to contain the run's id, by which runs are partitioned.)
 */
export async function findRunOfTrace(tx: EnvironmentTransaction, traceId: string): Promise<string | null> {
  await tx.raw(
    "SELECT pg_advisory_xact_lock(hashtextextended('trace/' || current_environment_id() || '/' || CAST(:traceId AS text), 0))",
    {
      traceId,
    },
  );
  const { rows } = await tx.raw<{ rows: { id: string }[] }>(
    'SELECT id FROM runs WHERE environment_id = current_environment_id() AND trace_id = :traceId ORDER BY id DESC LIMIT 1',
    { traceId },
  );
  return rows[0]?.id ?? null;
}

/** Those of the traces for which a run was made. */
export async function findTracesWithRun(
  tx: EnvironmentTransaction,
  traceIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (traceIds.length === 0) return new Set();
  const { rows } = await tx.raw<{ rows: { traceId: string }[] }>(
    `SELECT DISTINCT trace_id AS "traceId" FROM runs WHERE environment_id = current_environment_id() AND trace_id = ANY (:traceIds)`,
    { traceIds },
  );
  return new Set(rows.map(({ traceId }) => traceId));
}

/** The root of a trace, which is over. */
export interface EndedRoot {
  traceId: string;
  status: 'succeeded' | 'failed';
  startedAt: string;
  endedAt: string;
  name: string | null;
  agentId: string | null;
  userId: string | null;
  application: string | null;
}

/**
 * Ends the run that was made for a trace with the trace's root, which mostly comes last: with what only the root says, and the tokens of the
 * spans of models, at most as many as JSON numbers hold, and null where no span names any. A run that has ended stays as it is.
 */
export async function endRunOfTrace(tx: EnvironmentTransaction, runId: string, root: EndedRoot): Promise<void> {
  await tx.raw(
    `UPDATE runs r SET status = :status, name = COALESCE(:name, r.name), agent_id = COALESCE(r.agent_id, :agentId),
       user_id = COALESCE(r.user_id, :userId), application = COALESCE(r.application, :application),
       started_at = least(r.started_at, CAST(:startedAt AS timestamptz)), ended_at = CAST(:endedAt AS timestamptz), closed_at = now(), ${TOKENS_OF_SPANS},
       tokens = (SELECT CASE WHEN count(*) > 0 THEN least(sum(COALESCE(s.input_tokens, 0) + COALESCE(s.output_tokens, 0)), ${Number.MAX_SAFE_INTEGER}) END
         FROM spans s WHERE s.run_id = r.id AND s.kind = 'model' AND num_nonnulls(s.input_tokens, s.output_tokens) > 0)
     WHERE r.id = :runId AND r.status = 'running' AND r.trace_id = :traceId`,
    { runId, ...root },
  );
}
