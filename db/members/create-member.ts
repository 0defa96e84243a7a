import type { Role } from '../../domain/roles.ts';
import type { Database } from '../client.ts';
import { changePassword } from '../users/change-password.ts';
import { createUser, findUserByEmail, newUserId } from '../users/create-user.ts';
import { addMember } from './add-member.ts';

/**
 * For the operator: creates a user with this password as a member of the workspace. An existing user with the e-mail address gets
 * the password and is signed out everywhere.
 */
export async function createMember(
  db: Database,
  input: { workspaceId: string; email: string; name: string; passwordHash: string; role: Role },
): Promise<{ userId: string }> {
  const { workspaceId, role, passwordHash } = input;
  const known = await findUserByEmail(db, input.email);
  const userId = known?.id ?? newUserId();
  await db.withMember({ userId, workspaceId }, async (tx) => {
    if (known !== null) await changePassword(tx, userId, passwordHash);
    else if (!(await createUser(tx, input))) throw new Error(`the e-mail address ${input.email} was taken just now`);
    await addMember(tx, userId, role);
  });
  return { userId };
}
