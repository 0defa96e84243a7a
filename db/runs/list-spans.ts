import { selected } from '../columns.ts';
import { shortenedColumn } from '../shortened.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { SPAN_COLUMNS, type SpanRecord } from './records.ts';

export interface LevelSpan extends SpanRecord {
  childCount: number;
  /** Its parent is named and has not come. */
  orphan: boolean;
}

const IS_ORPHAN =
  '(s.parent_id IS NOT NULL AND NOT EXISTS (SELECT FROM spans p WHERE p.run_id = s.run_id AND p.id = s.parent_id))';

const COLUMNS = `(SELECT count(*)::int FROM spans c WHERE c.run_id = s.run_id AND c.parent_id = s.id) AS "childCount", ${IS_ORPHAN} AS orphan`;

const LISTED = selected({
  ...SPAN_COLUMNS,
  input: shortenedColumn('s.input'),
  output: shortenedColumn('s.output'),
  error: shortenedColumn('s.error'),
  attributes: shortenedColumn('s.attributes'),
});

/** One page of one level, in the order of their starts. Null as a parent: the roots, and whatever waits for its parent. */
export async function listSpans(
  tx: EnvironmentTransaction,
  runId: string,
  { parentId, limit, offset }: { parentId: string | null; limit: number; offset: number },
): Promise<{ items: LevelSpan[]; total: number }> {
  const level = parentId === null ? `(s.parent_id IS NULL OR ${IS_ORPHAN})` : 's.parent_id = :parentId';
  const bindings = { runId, parentId, limit, offset };
  const counted = await tx.raw<{ rows: { total: number }[] }>(
    `SELECT count(*)::int AS total FROM spans s WHERE s.run_id = :runId AND ${level}`,
    bindings,
  );
  const { rows } = await tx.raw<{ rows: LevelSpan[] }>(
    `SELECT ${LISTED}, ${COLUMNS} FROM spans s WHERE s.run_id = :runId AND ${level} ORDER BY s.started_at, s.id LIMIT :limit OFFSET :offset`,
    bindings,
  );
  return { items: rows, total: counted.rows[0]?.total ?? 0 };
}

/** One span, whole. */
export async function getSpan(tx: EnvironmentTransaction, runId: string, id: string): Promise<LevelSpan | null> {
  const { rows } = await tx.raw<{ rows: LevelSpan[] }>(
    `SELECT ${selected(SPAN_COLUMNS)}, ${COLUMNS} FROM spans s WHERE s.run_id = :runId AND s.id = :id`,
    { runId, id },
  );
  return rows[0] ?? null;
}
