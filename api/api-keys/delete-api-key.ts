import { z } from 'zod';
import { revokeApiKey } from '../../db/api-keys/revoke-api-key.ts';
import { recordAudit } from '../../db/audit/record-audit.ts';
import { notFound } from '../../domain/errors.ts';
import { defineWorkspaceRoute } from '../http/define-route.ts';
import { apiKeyParams } from './schemas.ts';

export const deleteApiKeyRoute = defineWorkspaceRoute({
  id: 'apiKeys.delete',
  method: 'DELETE',
  path: '/api/v2/workspaces/{workspaceId}/api-keys/{keyId}',
  summary: 'Delete an API key',
  description:
    'It stops working with the very next request, everywhere, and cannot be restored. Deleting it again changes nothing.',
  role: 'admin',
  request: { params: apiKeyParams },
  response: { 200: z.strictObject({ deleted: z.literal(true) }) },
  errors: ['NOT_FOUND'],
  async handler({ params: { keyId }, caller, actor, requestId, deps }) {
    const { workspaceId } = caller;
    await deps.db.withWorkspace(workspaceId, async (tx) => {
      const revoked = await revokeApiKey(tx, keyId);
      if (revoked === null) throw notFound('API key');
      if (!revoked.isNew) return;
      const { environmentId, name } = revoked;
      const target = { type: 'api_key', id: keyId };
      const entry = {
        workspaceId,
        environmentId,
        actor,
        action: 'api_key.deleted',
        target,
        details: { name },
        requestId,
      };
      await recordAudit(tx, entry);
    });
    return { status: 200, data: { deleted: true as const } };
  },
});
