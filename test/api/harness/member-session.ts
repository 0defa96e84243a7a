import { startSession } from '../../../db/auth/sessions.ts';
import { newId } from '../../../domain/ids.ts';
import type { Role } from '../../../domain/roles.ts';
import type { TestDatabase } from '../../harness/database.ts';
import type { TestApi } from './test-api.ts';

export interface MemberSession {
  userId: string;
  /** Cookie, Origin and CSRF token: everything that a mutation needs. Add `X-Environment-Id` for a route of an environment. */
  headers: Record<string, string>;
}

/** A signed-in member of a workspace; skips the sign-in itself, which costs a password hash. */
export async function memberSession(
  api: { baseUrl: string; database: TestDatabase } | TestApi,
  workspaceId: string,
  role: Role,
): Promise<MemberSession> {
  const userId = newId('user');
  const { database } = api;
  await database.asOwner(`INSERT INTO users (id, email, name, password_hash) VALUES ($1, $2, 'A member', 'none')`, [
    userId,
    `${userId.toLowerCase()}@example.com`,
  ]);
  await database.asOwner('INSERT INTO members (workspace_id, user_id, role) VALUES ($1, $2, $3)', [
    workspaceId,
    userId,
    role,
  ]);
  const { token, csrfToken } = await database.db.withUser(userId, startSession);
  return {
    userId,
    headers: {
      Cookie: `service-session=${token}`,
      Origin: new URL(api.baseUrl).origin,
      'X-CSRF-Token': csrfToken,
    },
  };
}
