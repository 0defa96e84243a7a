import { expect } from 'vitest';
import type { Tenant } from '../../../db/client.ts';
import { createPerson } from '../harness/people.ts';
import type { CallResult, TestApi } from '../harness/test-api.ts';

export const rotationPath = ({ workspaceId }: Pick<Tenant, 'workspaceId'>): string =>
  `/api/v2/workspaces/${workspaceId}/signing-keys/rotate`;

/** An admin of the workspace rotates its signing key. */
export async function rotateKey(
  api: TestApi,
  body: { gracePeriodSeconds?: number } = {},
  tenant: Pick<Tenant, 'workspaceId'> = api.database.tenant,
): Promise<CallResult> {
  const admin = await createPerson(api, 'admin', { workspaceId: tenant.workspaceId });
  return admin.call('POST', rotationPath(tenant), { body });
}

/** The secret of a rotation that succeeds. */
export async function rotatedSecret(api: TestApi, gracePeriodSeconds: number): Promise<string> {
  const reply = await rotateKey(api, { gracePeriodSeconds });
  expect(reply.status, reply.text).toBe(201);
  return (reply.json as { data: { secret: string } }).data.secret;
}
