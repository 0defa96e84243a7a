import { withShortened } from '../shortened.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { LIVE, SESSION_COLUMNS, type SessionRecord } from './records.ts';

export interface SessionFilter {
  userId?: string | undefined;
  agentId?: string | undefined;
}

const LISTED = withShortened(SESSION_COLUMNS, 's', ['metadata']);

/** One page, newest first. */
export async function listSessions(
  tx: EnvironmentTransaction,
  page: SessionFilter & { limit: number; offset: number },
): Promise<{ items: SessionRecord[]; total: number }> {
  const { limit, offset, userId, agentId } = page;
  const conditions = [
    's.environment_id = current_environment_id()',
    LIVE,
    ...(userId === undefined ? [] : ['s.user_id = :userId']),
    ...(agentId === undefined ? [] : ['s.agent_id = :agentId']),
  ];
  const where = conditions.join(' AND ');
  const bindings = { limit, offset, userId: userId ?? null, agentId: agentId ?? null };
  const counted = await tx.raw<{ rows: { total: number }[] }>(
    `SELECT count(*)::int AS total FROM sessions s WHERE ${where}`,
    bindings,
  );
  const { rows } = await tx.raw<{ rows: SessionRecord[] }>(
    `SELECT ${LISTED} FROM sessions s WHERE ${where} ORDER BY s.created_at DESC, s.id DESC LIMIT :limit OFFSET :offset`,
    bindings,
  );
  return { items: rows, total: counted.rows[0]?.total ?? 0 };
}
