import { newId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { SESSION_COLUMNS, type SessionRecord } from './records.ts';

export interface NewSession {
  name: string | null;
  userId: string | null;
  agentId: string | null;
  metadata: JsonObject | null;
  /** Null: it does not expire. */
  ttlSeconds: number | null;
}

export async function createSession(tx: EnvironmentTransaction, session: NewSession): Promise<SessionRecord> {
  const { rows } = await tx.raw<{ rows: SessionRecord[] }>(
    `INSERT INTO sessions AS s (id, environment_id, name, user_id, agent_id, metadata, expires_at)
     VALUES (:id, current_environment_id(), :name, :userId, :agentId, :metadata, now() + make_interval(secs => :ttlSeconds))
     RETURNING ${SESSION_COLUMNS}`,
    {
      ...session,
      id: newId('session'),
      metadata: session.metadata === null ? null : JSON.stringify(session.metadata),
    },
  );
  const [made] = rows;
  if (made === undefined) throw new Error('no session was made');
  return made;
}
