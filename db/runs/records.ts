import type { Json, JsonObject } from '../../domain/json.ts';
import type { RunStatus, SpanKind, SpanStatus } from '../../domain/runs/runs.ts';

export interface RunRecord {
  id: string;
  agentId: string | null;
  agentVersion: string | null;
  environmentId: string;
  name: string | null;
  status: RunStatus;
  userId: string | null;
  application: string | null;
  input: Json;
  output: Json;
  error: JsonObject | null;
  tokens: number | null;
  cost: number | null;
  tags: string[] | null;
  metadata: JsonObject | null;
  startedAt: Date;
  endedAt: Date | null;
}

export interface SpanRecord {
  id: string;
  runId: string;
  parentId: string | null;
  traceId: string | null;
  name: string;
  kind: SpanKind;
  status: SpanStatus;
  startedAt: Date;
  endedAt: Date | null;
  input: Json;
  output: Json;
  error: JsonObject | null;
  inputTokens: number | null;
  outputTokens: number | null;
  cost: number | null;
  attributes: JsonObject | null;
  invocationId: string | null;
  effectId: string | null;
  approvalId: string | null;
}

/** For `runs r`. */
export const RUN_COLUMNS: Readonly<Record<keyof RunRecord, string>> = {
  id: 'r.id',
  agentId: 'r.agent_id',
  agentVersion: 'r.agent_version',
  environmentId: 'r.environment_id',
  name: 'r.name',
  status: 'r.status',
  userId: 'r.user_id',
  application: 'r.application',
  input: 'r.input',
  output: 'r.output',
  error: 'r.error',
  tokens: 'r.tokens::float8',
  cost: 'r.cost',
  tags: 'r.tags',
  metadata: 'r.metadata',
  startedAt: 'r.started_at',
  endedAt: 'r.ended_at',
};

/** For `spans s`. */
export const SPAN_COLUMNS: Readonly<Record<keyof SpanRecord, string>> = {
  id: 's.id',
  runId: 's.run_id',
  parentId: 's.parent_id',
  traceId: 's.trace_id',
  name: 's.name',
  kind: 's.kind',
  status: 's.status',
  startedAt: 's.started_at',
  endedAt: 's.ended_at',
  input: 's.input',
  output: 's.output',
  error: 's.error',
  inputTokens: 's.input_tokens::float8',
  outputTokens: 's.output_tokens::float8',
  cost: 's.cost',
  attributes: 's.attributes',
  invocationId: 's.invocation_id',
  effectId: 's.effect_id',
  approvalId: 's.approval_id',
};
