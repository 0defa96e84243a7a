import { randomUUID } from 'node:crypto';
import { hashPassword, type ScryptCost } from '../../../db/auth/password.ts';
import { startSession } from '../../../db/auth/sessions.ts';
import { createMember } from '../../../db/members/members.ts';
import type { Role } from '../../../domain/roles.ts';
import type { CallOptions, CallResult, TestApi } from './test-api.ts';

/** A cheap hash. A test that measures time uses the real one. */
export const CHEAP: ScryptCost = { logN: 4, blockSize: 8, parallelization: 1 };
export const PASSWORD = 'correct horse battery staple';

export interface TestPerson {
  userId: string;
  email: string;
  sessionId: string;
  token: string;
  csrfToken: string;
  /** What their browser sends with a mutation. Its Origin is that of the API it calls. */
  headers: Record<string, string>;
  call(method: string, path: string, options?: CallOptions): Promise<CallResult>;
}

/** A signed-in user of the development workspace, or of another, with the password `PASSWORD`. */
export async function createPerson(
  api: TestApi,
  role: Role,
  options: { workspaceId?: string; email?: string; cost?: ScryptCost } = {},
): Promise<TestPerson> {
  const email = options.email ?? `${randomUUID()}@example.test`;
  const { db, tenant } = api.database;
  const passwordHash = await hashPassword(PASSWORD, options.cost ?? CHEAP);
  const workspaceId = options.workspaceId ?? tenant.workspaceId;
  const { userId } = await createMember(db, { workspaceId, email, name: 'Test Person', passwordHash, role });
  const { id: sessionId, token, csrfToken } = await db.withUser(userId, (tx) => startSession(tx));
  return personOf(api, { userId, email, sessionId, token, csrfToken });
}

/** The same person at another API process, or with another token. */
export function personOf(api: TestApi, person: Omit<TestPerson, 'headers' | 'call'>): TestPerson {
  const headers = { Cookie: cookieOf(person.token), 'X-CSRF-Token': person.csrfToken, Origin: api.baseUrl };
  return {
    ...person,
    headers,
    call: (method, path, options = {}) =>
      api.call(method, path, { ...options, headers: { ...headers, ...options.headers } }),
  };
}

/** As sent by a browser on the loopback. */
export function cookieOf(token: string): string {
  return `service-session=${token}`;
}

/** The token that a reply sets; null if it sets none. */
export function tokenSetBy(reply: CallResult): string | null {
  return /^service-session=([^;]*)/.exec(reply.headers.get('Set-Cookie') ?? '')?.[1] ?? null;
}
