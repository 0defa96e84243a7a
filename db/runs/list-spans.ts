import { type Page, pageOf, type Range } from '../page.ts';
import { selected } from '../columns.ts';
import { shortenedColumn } from '../shortened.ts';
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
  const { rows } = await tx.raw<{ rows: LevelSpan[] }>(
    `SELECT ${selected(SPAN_COLUMNS)}, ${COLUMNS} FROM spans s ${OF_INVOCATION}
     WHERE s.run_id = :runId AND s.id = :id`,
    { runId, id },
  );
  return rows[0] ?? null;
}
