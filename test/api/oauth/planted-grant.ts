import { randomBytes } from 'node:crypto';
import { createGrant } from '../../../db/oauth/grants.ts';
import { newId } from '../../../domain/ids.ts';
import type { Tenant } from '../../../db/client.ts';
import type { TestDatabase } from '../../harness/database.ts';

/** What a consent leaves, without one. Answers its id. */
export async function plantGrant(
  { db }: Pick<TestDatabase, 'db'>,
  tenant: Tenant,
  userId: string,
  clientId = 'https://agent.example/client.json',
): Promise<string> {
  const id = newId('connectedApp');
  await db.withEnvironment(tenant, (tx) =>
    createGrant(tx, {
      id,
      userId,
      workspaceId: tenant.workspaceId,
      clientId,
      clientName: 'Example agent',
      resource: 'mcp',
      scopes: ['actions:invoke', 'actions:read'],
      openid: false,
      requestHash: randomBytes(32),
      lifetimeDays: 365,
    }),
  );
  return id;
}
