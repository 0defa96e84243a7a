import { ID_PREFIXES } from '../../domain/ids.ts';
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

/** The id of the span that an invocation is in its run. */
export function spanIdOf(invocationId: string): string {
  return `${ID_PREFIXES.span}_${invocationId.slice(ID_PREFIXES.invocation.length + 1)}`;
}

/** Beside `spans s`: the invocation that a span is. The LIMIT makes it one look into an index for each span that is answered. */
export const OF_INVOCATION = `LEFT JOIN LATERAL (SELECT n.status, n.grade, n.settled_at, n.refusal_code, n.error, n.effect_id, n.approval_id
  FROM invocations n WHERE n.id = s.invocation_id LIMIT 1) i ON true`;

/** What is unknown has not ended: it is being found out. */
const STATUS_OF_INVOCATION = `CASE WHEN i.status IN ('succeeded', 'cancelled') THEN i.status
  WHEN i.status IN ('failed', 'refused', 'denied', 'expired') THEN 'failed' ELSE 'running' END`;

/** What the invocation says of a span that is one; else what was sent. */
const ofInvocation = (said: string, sent: string): string => `CASE WHEN i.status IS NULL THEN ${sent} ELSE ${said} END`;

/** For `spans s`, beside OF_INVOCATION. */
export const SPAN_COLUMNS: Readonly<Record<keyof SpanRecord, string>> = {
  id: 's.id',
  runId: 's.run_id',
  parentId: 's.parent_id',
  traceId: 's.trace_id',
  name: 's.name',
  kind: 's.kind',
  status: ofInvocation(STATUS_OF_INVOCATION, 's.status'),
  startedAt: 's.started_at',
  endedAt: ofInvocation(
    `CASE WHEN ${STATUS_OF_INVOCATION} <> 'running' THEN greatest(i.settled_at, s.started_at) END`,
    's.ended_at',
  ),
  input: 's.input',
  output: 's.output',
  error: ofInvocation(
    `CASE WHEN i.refusal_code IS NOT NULL THEN jsonb_build_object('code', i.refusal_code, 'message', i.error) END`,
    's.error',
  ),
  inputTokens: 's.input_tokens::float8',
  outputTokens: 's.output_tokens::float8',
  cost: 's.cost',
  attributes: ofInvocation(
    `COALESCE(s.attributes, '{}') || jsonb_build_object('service.invocation.status', i.status, 'service.invocation.grade', i.grade)`,
    's.attributes',
  ),
  invocationId: 's.invocation_id',
  effectId: 'i.effect_id',
  approvalId: 'i.approval_id',
};
