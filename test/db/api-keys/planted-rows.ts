import { createHash, randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import type { Tenant } from '../../../db/client.ts';
import { newId } from '../../../domain/ids.ts';
import { insert, type PlantedArea } from '../harness/plant.ts';

/** A key that nobody knows. */
export async function plantApiKey(owner: Client, tenant: Tenant): Promise<string> {
  const id = newId('apiKey');
  await insert(owner, 'api_keys', {
    id,
    workspace_id: tenant.workspaceId,
    environment_id: tenant.environmentId,
    name: 'planted',
    key_hash: createHash('sha256').update(randomUUID()).digest(),
    key_prefix: 'service_live_xxxxx',
    scopes: ['actions:read'],
  });
  return id;
}

export const rows: PlantedArea = {
  plant: async (owner, tenant) => void (await plantApiKey(owner, tenant)),
  writtenBeside: { api_keys: null },
};
