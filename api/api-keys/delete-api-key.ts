import { z } from 'zod';
import { revokeApiKey } from '../../db/api-keys/api-keys.ts';
import { existing } from '../../domain/errors.ts';
import { defineRoute } from '../http/define-route.ts';
import { apiKeyParams } from './schemas.ts';

export const deleteApiKeyRoute = defineRoute({
  of: 'workspace',
  id: 'apiKeys.delete',
  method: 'DELETE',
  path: '/api/v2/workspaces/{workspaceId}/api-keys/{keyId}',
  summary: 'Delete an API key',
  description:
    'The key stops working with the next request, on every process, and cannot be restored. Deleting it again changes ' +
    'nothing.',
  role: 'admin',
  request: { params: apiKeyParams },
  response: { 200: z.strictObject({ deleted: z.literal(true) }) },
  async change(tx, { params: { keyId } }) {
    const revoked = existing(await revokeApiKey(tx, keyId), 'API key');
    const { environmentId, name, isNew } = revoked;
    const entry = {
      action: 'api_key.deleted',
      target: { type: 'api_key', id: keyId },
      environmentId,
      details: { name },
    } as const;
    return {
      reply: { status: 200, data: { deleted: true as const } },
      audit: isNew ? entry : 'none: the key was deleted before',
    };
  },
});
