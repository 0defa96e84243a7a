import { z } from 'zod';
import { listApiKeys } from '../../db/api-keys/list-api-keys.ts';
import { defineWorkspaceRoute } from '../http/define-route.ts';
import { pageQuery, paginationOf } from '../http/pagination.ts';
import { apiKeySchema, apiKeysParams, presentApiKey } from './schemas.ts';

export const listApiKeysRoute = defineWorkspaceRoute({
  id: 'apiKeys.list',
  method: 'GET',
  path: '/api/v2/workspaces/{workspaceId}/api-keys',
  summary: 'List the API keys of all environments, newest first',
  description: 'Deleted and expired keys stay in the list, with `isActive` false. No reply holds a key or its hash.',
  role: 'member',
  request: { params: apiKeysParams, query: z.strictObject({ ...pageQuery }) },
  response: { 200: z.array(apiKeySchema) },
  paginated: true,
  errors: ['NOT_FOUND'],
  async handler({ query: { page, limit }, caller, deps }) {
    const { total, items } = await deps.db.withWorkspace(caller.workspaceId, (tx) =>
      listApiKeys(tx, { limit, offset: (page - 1) * limit }),
    );
    return { status: 200, data: items.map(presentApiKey), pagination: paginationOf(total, page, limit) };
  },
});
