import { z } from 'zod';
import { listMembers } from '../../db/members/members.ts';
import { presented } from '../http/common-fields.ts';
import { defineRoute } from '../http/define-route.ts';
import { memberSchema, presentMember, workspaceParams } from './schemas.ts';

export const listMembersRoute = defineRoute({
  of: 'workspace',
  id: 'members.list',
  method: 'GET',
  path: '/api/v2/workspaces/{workspaceId}/members',
  summary: 'List the members of a workspace, newest first',
  role: 'member',
  request: { params: workspaceParams },
  response: { 200: z.array(memberSchema) },
  list: async (tx, { page }) => presented(await listMembers(tx, page), presentMember),
});
