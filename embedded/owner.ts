import { generateToken } from '../db/auth/session-terms.ts';
import { hashPassword } from '../db/auth/password.ts';
import type { Database } from '../db/client.ts';
import { createMember } from '../db/members/create-member.ts';

export interface OwnerCredentials {
  email: string;
  password: string;
}

/** Of a name that RFC 2606 keeps from ever being somebody's. */
export const EMBEDDED_OWNER_EMAIL = 'owner@example.test';

/**
 * A user with a random password of 256 bits as an owner of the workspace. Someone who has the e-mail address already gets the
 * new password: whoever may call this has the database.
 */
export async function createOwner(db: Database, workspaceId: string, email: string): Promise<OwnerCredentials> {
  const password = generateToken();
  const passwordHash = await hashPassword(password);
  await createMember(db, { workspaceId, email, name: 'Owner', passwordHash, role: 'owner' });
  return { email, password };
}
