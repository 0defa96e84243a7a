import { randomBytes } from 'node:crypto';
import { createGrant, type NewGrant } from '../../../db/oauth/grants.ts';
import { newId } from '../../../domain/ids.ts';
import type { Tenant } from '../../../db/client.ts';
import type { TestDatabase } from '../../harness/database.ts';

export function newGrant(
  { workspaceId }: Tenant,
  userId: string,
  clientId = 'https://agent.example/client.json',
): NewGrant {
  return {
    id: newId('connectedApp'),
    userId,
    workspaceId,
    clientId,
    clientName: 'Example agent',
    resource: 'mcp',
    scopes: ['actions:invoke', 'actions:read'],
    openid: false,
    requestHash: randomBytes(32),
    lifetimeDays: 365,
  };
}

/** What a consent leaves, without one. Answers its id. */
export async function plantGrant(
  { db }: Pick<TestDatabase, 'db'>,
  tenant: Tenant,
  userId: string,
  clientId?: string,
): Promise<string> {
  const grant = newGrant(tenant, userId, clientId);
  await db.withEnvironment(tenant, (tx) => createGrant(tx, grant));
  return grant.id;
}
