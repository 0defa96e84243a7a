import type { EnvironmentTransaction } from '../client.ts';
import type { NewSession } from './create-session.ts';
import { LIVE, SESSION_COLUMNS, type SessionRecord } from './records.ts';

/** Changes the members that are there; the others stay. `ttlSeconds` counts from now, null ends the expiry. Null: no such session. */
export async function updateSession(
  tx: EnvironmentTransaction,
  id: string,
  changes: { [Member in keyof NewSession]?: NewSession[Member] | undefined },
): Promise<SessionRecord | null> {
  const { name, userId, agentId, metadata, ttlSeconds } = changes;
  const sets = [
    ...(name === undefined ? [] : ['name = :name']),
    ...(userId === undefined ? [] : ['user_id = :userId']),
    ...(agentId === undefined ? [] : ['agent_id = :agentId']),
    ...(metadata === undefined ? [] : ['metadata = :metadata']),
    ...(ttlSeconds === undefined ? [] : ['expires_at = now() + make_interval(secs => :ttlSeconds)']),
    'updated_at = now()',
  ];
  const { rows } = await tx.raw<{ rows: SessionRecord[] }>(
    `UPDATE sessions s SET ${sets.join(', ')} WHERE s.id = :id AND ${LIVE} RETURNING ${SESSION_COLUMNS}`,
    {
      id,
      name: name ?? null,
      userId: userId ?? null,
      agentId: agentId ?? null,
      metadata: metadata === undefined || metadata === null ? null : JSON.stringify(metadata),
      ttlSeconds: ttlSeconds ?? null,
    },
  );
  return rows[0] ?? null;
}
