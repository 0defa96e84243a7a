import { z } from 'zod';
import { listMembers } from '../../db/members/list-members.ts';
import { defineWorkspaceRoute } from '../http/define-route.ts';
import { pageQuery, paginationOf } from '../http/pagination.ts';
import { memberSchema, presentMember, workspaceParams } from './schemas.ts';

export const listMembersRoute = defineWorkspaceRoute({
  id: 'members.list',
  method: 'GET',
  path: '/api/v2/workspaces/{workspaceId}/members',
  summary: 'List the members of a workspace, newest first',
  role: 'member',
  request: { params: workspaceParams, query: z.strictObject({ ...pageQuery }) },
  response: { 200: z.array(memberSchema) },
  paginated: true,
  errors: ['NOT_FOUND'],
  async handler({ query: { page, limit }, caller, deps }) {
    const { total, items } = await deps.db.withWorkspace(caller.workspaceId, (tx) =>
      listMembers(tx, { limit, offset: (page - 1) * limit }),
    );
    return { status: 200, data: items.map(presentMember), pagination: paginationOf(total, page, limit) };
  },
});
