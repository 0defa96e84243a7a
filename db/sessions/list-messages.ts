import type { EnvironmentTransaction } from '../client.ts';
import { MESSAGE_COLUMNS, type SessionMessageRecord } from './records.ts';

export interface MessagePage {
  order: 'asc' | 'desc';
  /** The sequence behind which the list begins, in its order. */
  after?: number | undefined;
  limit: number;
  offset: number;
}

/** One page of a session that the same transaction has found. Messages are whole: they are bounded one by one. */
export async function listMessages(
  tx: EnvironmentTransaction,
  sessionId: string,
  { order, after, limit, offset }: MessagePage,
): Promise<{ items: SessionMessageRecord[]; total: number }> {
  const behind = after === undefined ? '' : `AND m.sequence ${order === 'asc' ? '>' : '<'} CAST(:after AS bigint)`;
  const bindings = { sessionId, after: after ?? null, limit, offset };
  const counted = await tx.raw<{ rows: { total: number }[] }>(
    `SELECT count(*)::int AS total FROM session_messages m WHERE m.session_id = :sessionId ${behind}`,
    bindings,
  );
  const { rows } = await tx.raw<{ rows: SessionMessageRecord[] }>(
    `SELECT ${MESSAGE_COLUMNS} FROM session_messages m WHERE m.session_id = :sessionId ${behind}
     ORDER BY m.sequence ${order === 'asc' ? 'ASC' : 'DESC'} LIMIT :limit OFFSET :offset`,
    bindings,
  );
  return { items: rows, total: counted.rows[0]?.total ?? 0 };
}
