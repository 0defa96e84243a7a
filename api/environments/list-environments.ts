import { z } from 'zod';
import { listEnvironments } from '../../db/environments/list-environments.ts';
import { defineWorkspaceRoute } from '../http/define-route.ts';
import { pageQuery, paginationOf } from '../http/pagination.ts';
import { environmentSchema, presentEnvironment, workspaceParams } from './schemas.ts';

export const listEnvironmentsRoute = defineWorkspaceRoute({
  id: 'environments.list',
  method: 'GET',
  path: '/api/v2/workspaces/{workspaceId}/environments',
  summary: "List a workspace's environments, newest first",
  role: 'member',
  request: { params: workspaceParams, query: z.strictObject({ ...pageQuery }) },
  response: { 200: z.array(environmentSchema) },
  paginated: true,
  errors: ['NOT_FOUND'],
  async handler({ query: { page, limit }, caller, deps }) {
    const { items, total } = await deps.db.withWorkspace(caller.workspaceId, (tx) =>
      listEnvironments(tx, { limit, offset: (page - 1) * limit }),
    );
    return { status: 200, data: items.map(presentEnvironment), pagination: paginationOf(total, page, limit) };
  },
});
