import type { SecondFactor, SessionAuthentication } from '../../domain/passkeys/authentication.ts';
import type { Role } from '../../domain/roles.ts';
import type { Database } from '../client.ts';
import { type CallerEnvironment, callerEnvironmentOf, type CallerEnvironmentRow } from '../environments/callers.ts';
import { SESSION_IDLE_MINUTES } from './sessions.ts';

/** A live sign-in session, with the user's role in the requested workspace. It does not contain the token. */
export interface FoundSession {
  id: string;
  userId: string;
  email: string;
  name: string;
  csrfToken: string;
  expiresAt: Date;
  lastSeenAt: Date;
  tokenIssuedAt: Date;
  /** False where the token is the one that the last rotation replaced. */
  isCurrentToken: boolean;
  authentication: SessionAuthentication;
  /** Null where no workspace was requested, or the user is not a member of it. */
  membership: { workspaceId: string; role: Role } | null;
  /** Null where no environment was requested, or the user is not a member of its workspace. */
  environment: CallerEnvironment | null;
  /** The requested environment has `requireSecondFactor`. */
  requiresSecondFactor: boolean;
}

interface Row extends Omit<CallerEnvironmentRow, 'environment_id'> {
  id: string;
  user_id: string;
  email: string;
  name: string;
  csrf_token: string;
  expires_at: Date;
  last_seen_at: Date;
  token_issued_at: Date;
  is_current: boolean;
  password_at: Date | null;
  second_factor: SecondFactor | null;
  second_factor_at: Date | null;
  has_passkey: boolean;
  requires_second_factor: boolean | null;
  workspace_id: string | null;
  role: Role | null;
  environment_id: string | null;
}

/** Finds the live session of a token by its SHA-256, in one round trip. `place` is the UUID of a workspace or an environment. */
export async function findSignInSession(
  db: Database,
  tokenHash: Buffer,
  place: { workspaceId?: string; environmentId?: string } = {},
): Promise<FoundSession | null> {
  const row = await db.directory.row<Row>(
    'find_sign_in_session',
    `SELECT * FROM find_sign_in_session(?, ? * interval '1 minute', ?::uuid, ?::uuid)`,
    [tokenHash, SESSION_IDLE_MINUTES, place.workspaceId ?? null, place.environmentId ?? null],
  );
  if (row === null) return null;
  const { environment_id } = row;
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
    authentication: {
      method: row.second_factor ?? 'password',
      at: authenticatedAt(row),
      passwordAt: row.password_at,
      hasPasskey: row.has_passkey,
    },
    membership,
    environment:
      membership === null || environment_id === null ? null : callerEnvironmentOf({ ...row, environment_id }),
    requiresSecondFactor: row.requires_second_factor === true,
  };
}

function authenticatedAt({ id, second_factor_at, password_at }: Row): Date {
  const at = second_factor_at ?? password_at;
  if (at === null) throw new Error(`session ${id} says neither when a password nor when a passkey was given`);
  return at;
}
