import { createEnvironment } from '../../db/environments/environments.ts';
import { defineRoute } from '../http/define-route.ts';
import { createEnvironmentBody, environmentSchema, presentEnvironment, workspaceParams } from './schemas.ts';

export const createEnvironmentRoute = defineRoute({
  of: 'workspace',
  id: 'environments.create',
  method: 'POST',
  path: '/api/v2/workspaces/{workspaceId}/environments',
  summary: 'Create an environment',
  description:
    'The kind cannot be changed later. 429 `QUOTA_EXCEEDED` means that the workspace has as many environments as its plan ' +
    'allows.',
  role: 'admin',
  request: { params: workspaceParams, body: createEnvironmentBody },
  response: { 201: environmentSchema },
  errors: ['CONFLICT', 'QUOTA_EXCEEDED'],
  async change(tx, { body, caller: { workspaceId } }) {
    const { name, kind, approvalDefault = null } = body;
    const wanted = { name, kind, protected: body.protected ?? kind === 'production', approvalDefault };
    const created = await createEnvironment(tx, { workspaceId, ...wanted });
    return {
      reply: { status: 201, data: presentEnvironment(created) },
      audit: {
        action: 'environment.created',
        target: { type: 'environment', id: created.id },
        environmentId: created.id,
        details: wanted,
      },
    };
  },
});
