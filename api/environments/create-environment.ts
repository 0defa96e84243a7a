import { recordAudit } from '../../db/audit/record-audit.ts';
import { createEnvironment } from '../../db/environments/create-environment.ts';
import { defineWorkspaceRoute } from '../http/define-route.ts';
import { createEnvironmentBody, environmentSchema, presentEnvironment, workspaceParams } from './schemas.ts';

export const createEnvironmentRoute = defineWorkspaceRoute({
  id: 'environments.create',
  method: 'POST',
  path: '/api/v2/workspaces/{workspaceId}/environments',
  summary: 'Create an environment',
  description:
    "Its kind never changes. `QUOTA_EXCEEDED` (429) at the plan's total of environments, however many are created at once.",
  role: 'admin',
  request: { params: workspaceParams, body: createEnvironmentBody },
  response: { 201: environmentSchema },
  errors: ['NOT_FOUND', 'CONFLICT', 'QUOTA_EXCEEDED'],
  async handler({ body, caller, actor, requestId, deps }) {
    const { workspaceId } = caller;
    const { name, kind, approvalDefault = null } = body;
    const isProtected = body.protected ?? kind === 'production';
    const environment = await deps.db.withWorkspace(workspaceId, async (tx) => {
      const created = await createEnvironment(tx, { workspaceId, name, kind, protected: isProtected, approvalDefault });
      await recordAudit(tx, {
        workspaceId,
        environmentId: created.id,
        actor,
        action: 'environment.created',
        target: { type: 'environment', id: created.id },
        details: { name, kind, protected: isProtected, approvalDefault },
        requestId,
      });
      return created;
    });
    return { status: 201, data: presentEnvironment(environment) };
  },
});
