import { generateToken } from '../db/auth/sessions.ts';
import { hashPassword } from '../db/auth/password.ts';
import type { Database } from '../db/client.ts';
import { createMember } from '../db/members/members.ts';

export interface OwnerCredentials {
  email: string;
  password: string;
}

/** Uses a domain name that RFC 2606 reserves, so it never belongs to anybody. */
export const EMBEDDED_OWNER_EMAIL = 'owner@example.test';

/**
 * Makes a user with a random 256-bit password an owner of the workspace. An existing user with this e-mail address gets the
 * new password too: a caller of this function already has full access to the database.
 */
export async function createOwner(db: Database, workspaceId: string, email: string): Promise<OwnerCredentials> {
  const password = generateToken();
  const passwordHash = await hashPassword(password);
  await createMember(db, { workspaceId, email, name: 'Owner', passwordHash, role: 'owner' });
  return { email, password };
}
