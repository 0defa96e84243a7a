import { newId } from '../../domain/ids.ts';
import type { Json, JsonObject } from '../../domain/json.ts';
import type { RunStatus } from '../../domain/runs/runs.ts';
import { selected } from '../columns.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { RUN_COLUMNS, type RunRecord } from './records.ts';

export interface NewRun {
  name: string | null;
  agentId: string | null;
  agentVersion: string | null;
  userId: string | null;
  application: string | null;
  input: Json;
  tags: string[] | null;
  metadata: JsonObject | null;
  /** Set for a run that is made for a trace. */
  traceId: string | null;
  /** Defaults to now. */
  startedAt: string | null;
}

export async function createRun(tx: EnvironmentTransaction, run: NewRun): Promise<RunRecord> {
  const made = await tx.row<RunRecord>(
    'create_run',
    `INSERT INTO runs AS r (id, environment_id, name, agent_id, agent_version, user_id, application, input, tags, metadata, trace_id, started_at)
     VALUES (:id, current_environment_id(), :name, :agentId, :agentVersion, :userId, :application, CAST(:input AS jsonb), CAST(:tags AS text[]),
       CAST(:metadata AS jsonb), :traceId, COALESCE(CAST(:startedAt AS timestamptz), now()))
     RETURNING ${selected(RUN_COLUMNS)}`,
    {
      ...run,
      id: newId('run'),
      input: run.input === null ? null : JSON.stringify(run.input),
      metadata: run.metadata === null ? null : JSON.stringify(run.metadata),
    },
  );
  if (made === null) throw new Error('no run was made');
  return made;
}

export interface RunChanges {
  status?: RunStatus | undefined;
  name?: string | null | undefined;
  output?: Json | undefined;
  error?: JsonObject | null | undefined;
  tokens?: number | null | undefined;
  cost?: number | null | undefined;
  tags?: string[] | null | undefined;
  metadata?: JsonObject | null | undefined;
}

/** What the models of a run took, by its spans; null where none says it. For the UPDATE of `runs r` that ends it. */
const TOKENS_OF_SPANS = `(input_tokens, output_tokens) = (SELECT least(sum(s.input_tokens), ${Number.MAX_SAFE_INTEGER}),
  least(sum(s.output_tokens), ${Number.MAX_SAFE_INTEGER}) FROM spans s WHERE s.run_id = r.id AND s.kind = 'model')`;

const SETS: Readonly<Record<keyof RunChanges, string>> = {
  status: `status = :status, ended_at = greatest(now(), started_at), closed_at = now(), ${TOKENS_OF_SPANS}`,
  name: 'name = :name',
  output: 'output = CAST(:output AS jsonb)',
  error: 'error = CAST(:error AS jsonb)',
  tokens: 'tokens = :tokens',
  cost: 'cost = :cost',
  tags: 'tags = CAST(:tags AS text[])',
  metadata: 'metadata = CAST(:metadata AS jsonb)',
};
const JSON_MEMBERS = new Set(['output', 'error', 'metadata']);

/** Changes the members that are there, of a run that the same transaction has locked. A status ends it. */
export async function updateRun(tx: EnvironmentTransaction, id: string, changes: RunChanges): Promise<void> {
  const asked = Object.entries(changes).filter(([, value]) => value !== undefined);
  if (asked.length === 0) return;
  const sets = asked.map(([name]) => SETS[name as keyof RunChanges]).join(', ');
  const values = asked.map(([name, value]) => [
    name,
    JSON_MEMBERS.has(name) && value !== null ? JSON.stringify(value) : value,
  ]);
  await tx.raw({ variantsOf: 'update_run' }, `UPDATE runs r SET ${sets} WHERE id = :id`, {
    ...Object.fromEntries(values),
    id,
  });
}

/**
 * The run that was made for a trace, or null. No other transaction makes one until this one ends: concurrent batches of a trace have one
 * run. (A unique index cannot say so: it would have to contain the run's id, by which runs are partitioned.)
 */
export async function findRunOfTrace(tx: EnvironmentTransaction, traceId: string): Promise<string | null> {
  await tx.raw(
    'find_run_of_trace',
    "SELECT pg_advisory_xact_lock(hashtextextended('trace/' || current_environment_id() || '/' || CAST(:traceId AS text), 0))",
    {
      traceId,
    },
  );
  const row = await tx.row<{ id: string }>(
    'find_run_of_trace_2',
    'SELECT id FROM runs WHERE environment_id = current_environment_id() AND trace_id = :traceId ORDER BY id DESC LIMIT 1',
    { traceId },
  );
  return row?.id ?? null;
}

/** Those of the traces for which a run was made. */
export async function findTracesWithRun(
  tx: EnvironmentTransaction,
  traceIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (traceIds.length === 0) return new Set();
  const rows = await tx.rows<{ traceId: string }>(
    'find_traces_with_run',
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
    'end_run_of_trace',
    `UPDATE runs r SET status = :status, name = COALESCE(:name, r.name), agent_id = COALESCE(r.agent_id, :agentId),
       user_id = COALESCE(r.user_id, :userId), application = COALESCE(r.application, :application),
       started_at = least(r.started_at, CAST(:startedAt AS timestamptz)), ended_at = CAST(:endedAt AS timestamptz), closed_at = now(), ${TOKENS_OF_SPANS},
       tokens = (SELECT CASE WHEN count(*) > 0 THEN least(sum(COALESCE(s.input_tokens, 0) + COALESCE(s.output_tokens, 0)), ${Number.MAX_SAFE_INTEGER}) END
         FROM spans s WHERE s.run_id = r.id AND s.kind = 'model' AND num_nonnulls(s.input_tokens, s.output_tokens) > 0)
     WHERE r.id = :runId AND r.status = 'running' AND r.trace_id = :traceId`,
    { runId, ...root },
  );
}
