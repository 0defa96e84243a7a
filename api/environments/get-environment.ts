import { getEnvironment } from '../../db/environments/environments.ts';
import { existing } from '../../domain/errors.ts';
import { defineRoute } from '../http/define-route.ts';
import { environmentParams, environmentSchema, presentEnvironment } from './schemas.ts';

export const getEnvironmentRoute = defineRoute({
  of: 'workspace',
  id: 'environments.get',
  method: 'GET',
  path: '/api/v2/workspaces/{workspaceId}/environments/{environmentId}',
  summary: 'Get an environment',
  role: 'member',
  request: { params: environmentParams },
  response: { 200: environmentSchema },
  read: async (tx, { params }) =>
    presentEnvironment(existing(await getEnvironment(tx, params.environmentId), 'environment')),
});
