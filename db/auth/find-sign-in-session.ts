import type { Role } from '../../domain/roles.ts';
import type { CallerEnvironment } from '../api-keys/find-api-key.ts';
import type { Database } from '../client.ts';
import { SESSION_IDLE_MINUTES } from './session-terms.ts';

/** A live sign-in session, and the user's role in the requested workspace. Never its token. */
export interface FoundSession {
  id: string;
  userId: string;
  email: string;
  name: string;
  csrfToken: string;
  expiresAt: Date;
  lastSeenAt: Date;
  tokenIssuedAt: Date;
  /** False where the token is the one before the last rotation. */
  isCurrentToken: boolean;
  /** Null where no workspace was asked for, or the user is no member of it. */
  membership: { workspaceId: string; role: Role } | null;
  /** Null where none was asked for, or it is of a workspace that the user is no member of. */
  environment: CallerEnvironment | null;
}

interface Row {
  id: string;
  user_id: string;
  email: string;
  name: string;
  csrf_token: string;
  expires_at: Date;
  last_seen_at: Date;
  token_issued_at: Date;
  is_current: boolean;
  workspace_id: string | null;
  role: Role | null;
  environment_id: string | null;
  environment_name: string;
  environment_kind: CallerEnvironment['kind'];
  environment_protected: boolean;
}

/** The living session of a token's SHA-256. `place` names a workspace, or an environment, by UUID. One look at the database. */
export async function findSignInSession(
  db: Database,
  tokenHash: Buffer,
  place: { workspaceId?: string; environmentId?: string } = {},
): Promise<FoundSession | null> {
  const { rows } = await db.directory.raw<{ rows: Row[] }>(
    `SELECT * FROM find_sign_in_session(?, ? * interval '1 minute', ?::uuid, ?::uuid)`,
    [tokenHash, SESSION_IDLE_MINUTES, place.workspaceId ?? null, place.environmentId ?? null],
  );
  const row = rows[0];
  if (row === undefined) return null;
  const membership =
    row.workspace_id === null || row.role === null ? null : { workspaceId: row.workspace_id, role: row.role };
  return {
    id: row.id,
    userId: row.user_id,
    email: row.email,
    name: row.name,
    csrfToken: row.csrf_token,
    expiresAt: row.expires_at,
    lastSeenAt: row.last_seen_at,
    tokenIssuedAt: row.token_issued_at,
    isCurrentToken: row.is_current,
    membership,
    environment: membership === null ? null : environmentOf(row),
  };
}

function environmentOf(row: Row): CallerEnvironment | null {
  if (row.environment_id === null) return null;
  return {
    id: row.environment_id,
    name: row.environment_name,
    kind: row.environment_kind,
    protected: row.environment_protected,
  };
}
