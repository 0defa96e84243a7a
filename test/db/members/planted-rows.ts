import { createHash, randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import type { Tenant } from '../../../db/client.ts';
import { newId } from '../../../domain/ids.ts';
import { insert, type PlantedArea } from '../harness/plant.ts';

/** A member of the workspace, an invitation that they made, and their session. */
export async function plantPeople(owner: Client, tenant: Tenant): Promise<{ userId: string }> {
  const userId = newId('user');
  const email = `${userId}@example.test`;
  await insert(owner, 'users', { id: userId, email, name: 'planted', password_hash: 'planted' });
  await insert(owner, 'members', { workspace_id: tenant.workspaceId, user_id: userId, role: 'owner' });
  await insert(owner, 'invitations', {
    id: newId('invitation'),
    workspace_id: tenant.workspaceId,
    email,
    role: 'member',
    token_hash: createHash('sha256').update(randomUUID()).digest(),
    invited_by: userId,
    expires_at: new Date(),
  });
  await insert(owner, 'sign_in_sessions', {
    id: newId('signInSession'),
    user_id: userId,
    token_hash: createHash('sha256').update(randomUUID()).digest(),
    csrf_token: 'planted',
    expires_at: new Date(),
  });
  return { userId };
}

export const rows: PlantedArea = {
  plant: async (owner, tenant) => void (await plantPeople(owner, tenant)),
  ofWorkspace: ['invitations', 'members'],
  heldElsewhere: {
    sign_in_sessions: 'of a user, not of a workspace: test/db/tenancy/people.test.ts',
    sign_in_throttles: 'counted by functions of the directory alone: test/db/tenancy/people.test.ts',
    users: 'of themselves, not of a workspace: test/db/tenancy/people.test.ts',
  },
  writtenBeside: { sign_in_sessions: null, sign_in_throttles: null },
};
