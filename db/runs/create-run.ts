import { newId } from '../../domain/ids.ts';
import type { Json, JsonObject } from '../../domain/json.ts';
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
  /** Null: now. */
  startedAt: string | null;
}

export async function createRun(tx: EnvironmentTransaction, run: NewRun): Promise<RunRecord> {
  const { rows } = await tx.raw<{ rows: RunRecord[] }>(
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
  const [made] = rows;
  if (made === undefined) throw new Error('no run was made');
  return made;
}
