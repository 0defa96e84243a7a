import { type CheckedSpan, type KnownSpan, SPAN_DEPTH_MAX } from '../../domain/runs/runs.ts';
import type { JsonObject } from '../../domain/json.ts';
import { type Page, pageOf, type Range } from '../page.ts';
import { selected, shortenedColumn } from '../columns.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { OF_INVOCATION, SPAN_COLUMNS, type SpanRecord } from './records.ts';

export interface LevelSpan extends SpanRecord {
  childCount: number;
  /** Its parent is named and has not come. */
  orphan: boolean;
}

/** A filter that looks at many spans: PostgreSQL may hash the ids of this run, and of no other, once. */
const IS_ORPHAN =
  '(s.parent_id IS NOT NULL AND NOT EXISTS (SELECT FROM spans p WHERE p.run_id = :runId AND p.id = s.parent_id))';

/** One look into an index for each span that is answered. A count is never hashed over the whole run, as an EXISTS may be. */
const COLUMNS = `(SELECT count(*)::int FROM spans c WHERE c.run_id = :runId AND c.parent_id = s.id) AS "childCount",
  s.parent_id IS NOT NULL AND (SELECT count(*) FROM spans p WHERE p.run_id = :runId AND p.id = s.parent_id) = 0 AS orphan`;

const LISTED = selected({
  ...SPAN_COLUMNS,
  input: shortenedColumn('s.input'),
  output: shortenedColumn('s.output'),
  error: shortenedColumn(SPAN_COLUMNS.error),
  attributes: shortenedColumn(SPAN_COLUMNS.attributes),
});

/**
 * One page of one level, in the order of their starts. Null as a parent: the roots, and whatever waits for its parent. The page is
 * picked first, so that a span which is not answered costs neither a count of its children nor a shortened member.
 */
export async function listSpans(
  tx: EnvironmentTransaction,
  runId: string,
  { parentId, ...range }: { parentId: string | null } & Range,
): Promise<Page<LevelSpan>> {
  const level = parentId === null ? `(s.parent_id IS NULL OR ${IS_ORPHAN})` : 's.parent_id = :parentId';
  return pageOf(tx, {
    name: { variantsOf: 'list_spans' },
    columns: `${LISTED}, ${COLUMNS}`,
    from: 'spans s',
    joins: OF_INVOCATION,
    where: `s.run_id = :runId AND ${level}`,
    order: 's.started_at, s.id',
    asked: { runId, parentId, ...range },
  });
}

/** One span, whole. */
export async function getSpan(tx: EnvironmentTransaction, runId: string, id: string): Promise<LevelSpan | null> {
  return tx.row<LevelSpan>(
    'get_span',
    `SELECT ${selected(SPAN_COLUMNS)}, ${COLUMNS} FROM spans s ${OF_INVOCATION}
     WHERE s.run_id = :runId AND s.id = :id`,
    { runId, id },
  );
}

/** These spans, and what is above these parents as far as a span may be below its root, in a run that the same transaction has locked. */
export async function findKnownSpans(
  tx: EnvironmentTransaction,
  runId: string,
  ids: readonly string[],
  parentIds: readonly string[],
): Promise<KnownSpan[]> {
  return tx.rows<KnownSpan>(
    'find_known_spans',
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
}

/** Writes spans of a run that the same transaction has locked. A member that a span does not have leaves what is there. */
export async function upsertSpans(
  tx: EnvironmentTransaction,
  runId: string,
  spans: readonly CheckedSpan[],
): Promise<void> {
  if (spans.length === 0) return;
  const rows = spans.map(
    ({ tokens, parentId, traceId, startedAt, endedAt, sentStatus, isStartSent, isEndSent, ...rest }) => ({
      ...rest,
      parent_id: parentId,
      trace_id: traceId,
      started_at: startedAt,
      ended_at: endedAt,
      sent_status: sentStatus,
      is_start_sent: isStartSent,
      is_end_sent: isEndSent,
      input_tokens: tokens?.input,
      output_tokens: tokens?.output,
    }),
  );
  await tx.raw('upsert_spans', UPSERT, { runId, spans: JSON.stringify(rows) });
}

/**
 * Bytes of the attributes that spans of a run, new ones too, would have with these, by id: as PostgreSQL writes JSON, without the spaces
 * between them.
 */
export async function attributesBytes(
  tx: EnvironmentTransaction,
  runId: string,
  spans: readonly { id: string; attributes: JsonObject }[],
): Promise<Map<string, number>> {
  if (spans.length === 0) return new Map();
  const rows = await tx.rows<{ id: string; bytes: number }>(
    'attributes_bytes',
    `SELECT n.id, octet_length(CAST(m.attributes AS text)) - 2 * (SELECT count(*)::int FROM jsonb_object_keys(m.attributes)) + 1 AS bytes
     FROM json_to_recordset(CAST(:sent AS json)) AS n (id text, attributes jsonb)
     LEFT JOIN spans s ON s.run_id = :runId AND s.id = n.id COLLATE "C"
     CROSS JOIN LATERAL (SELECT COALESCE(s.attributes, '{}') || n.attributes AS attributes) m`,
    { runId, sent: JSON.stringify(spans) },
  );
  return new Map(rows.map(({ id, bytes }) => [id, bytes]));
}

/** The span of an invocation moves with the invocation alone, also where that moved after this transaction looked at it. */
const OWN = ['status', 'started_at', 'ended_at', 'sent_status', 'is_start_sent', 'is_end_sent']
  .map((column) => `${column} = CASE WHEN s.invocation_id IS NULL THEN n.${column} ELSE s.${column} END`)
  .join(', ');

const UPSERT = `
  WITH n AS MATERIALIZED (
    SELECT * FROM json_to_recordset(CAST(:spans AS json)) AS n (id text, parent_id text, trace_id text, name text, kind text, status text,
      started_at timestamptz, ended_at timestamptz, input jsonb, output jsonb, error jsonb, input_tokens bigint, output_tokens bigint,
      cost double precision, attributes jsonb, sent_status text, is_start_sent boolean, is_end_sent boolean)),
  changed AS (
    UPDATE spans s SET parent_id = COALESCE(n.parent_id, s.parent_id), trace_id = COALESCE(n.trace_id, s.trace_id),
      name = COALESCE(n.name, s.name), kind = COALESCE(n.kind, s.kind), ${OWN},
      input = COALESCE(n.input, s.input), output = COALESCE(n.output, s.output), error = COALESCE(n.error, s.error),
      input_tokens = COALESCE(n.input_tokens, s.input_tokens), output_tokens = COALESCE(n.output_tokens, s.output_tokens),
      cost = COALESCE(n.cost, s.cost),
      attributes = CASE WHEN n.attributes IS NULL THEN s.attributes ELSE COALESCE(s.attributes, '{}') || n.attributes END
    FROM n WHERE s.run_id = :runId AND s.id = n.id RETURNING s.id)
  INSERT INTO spans (run_id, id, environment_id, parent_id, trace_id, name, kind, status, started_at, ended_at, input, output, error,
    input_tokens, output_tokens, cost, attributes, sent_status, is_start_sent, is_end_sent)
  SELECT :runId, n.id, current_environment_id(), n.parent_id, n.trace_id, n.name, COALESCE(n.kind, 'other'), n.status, n.started_at,
    n.ended_at, n.input, n.output, n.error, n.input_tokens, n.output_tokens, n.cost, n.attributes, n.sent_status, n.is_start_sent, n.is_end_sent
  FROM n WHERE NOT EXISTS (SELECT FROM changed c WHERE c.id = n.id)`;
