import { z } from 'zod';
import { listEnvironments } from '../../db/environments/environments.ts';
import { presented } from '../http/common-fields.ts';
import { defineRoute } from '../http/define-route.ts';
import { environmentSchema, presentEnvironment, workspaceParams } from './schemas.ts';

export const listEnvironmentsRoute = defineRoute({
  of: 'workspace',
  id: 'environments.list',
  method: 'GET',
  path: '/api/v2/workspaces/{workspaceId}/environments',
  summary: "List a workspace's environments, newest first",
  role: 'member',
  request: { params: workspaceParams },
  response: { 200: z.array(environmentSchema) },
  list: async (tx, { page }) => presented(await listEnvironments(tx, page), presentEnvironment),
});
