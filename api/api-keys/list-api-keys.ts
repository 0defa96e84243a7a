import { z } from 'zod';
import { listApiKeys } from '../../db/api-keys/api-keys.ts';
import { presented } from '../http/common-fields.ts';
import { defineRoute } from '../http/define-route.ts';
import { apiKeySchema, apiKeysParams, presentApiKey } from './schemas.ts';

export const listApiKeysRoute = defineRoute({
  of: 'workspace',
  id: 'apiKeys.list',
  method: 'GET',
  path: '/api/v2/workspaces/{workspaceId}/api-keys',
  summary: 'List the API keys of all environments, newest first',
  description:
    'Deleted and expired keys stay in the list with `isActive: false`. Keys and their hashes are never shown.',
  role: 'member',
  request: { params: apiKeysParams },
  response: { 200: z.array(apiKeySchema) },
  list: async (tx, { page }) => presented(await listApiKeys(tx, page), presentApiKey),
});
