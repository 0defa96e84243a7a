import { createAction } from '../../db/actions/changes.ts';
import { defineRoute } from '../http/define-route.ts';
import { requireGovernToWriteUngoverned, requireSecretScope, takeNames } from './access.ts';
import { presentAction } from './action-schemas.ts';
import { actionEntry } from './audit.ts';
import { requirePinnableName } from './pinned.ts';
import { createActionBody } from './body-schemas.ts';
import { buildDefinition, configIssuesOf, schemaIssuesOf } from './definition.ts';
import { missingSecretsOf, warningsOf, writtenActionSchema } from './warnings.ts';

export const createActionRoute = defineRoute({
  of: 'environment',
  id: 'actions.create',
  method: 'POST',
  path: '/api/v2/actions',
  summary: 'Create an action and its version 1',
  description:
    "The whole definition is checked: its schemas, the adapter's config, its declarations, and every path and secret that " +
    'it refers to. What is certainly wrong is a 400; what may be wrong is listed in `warnings`.\n\n' +
    'More scopes are needed in these cases:\n\n' +
    '- `secrets:read` or `secrets:write` to refer to a secret of the vault. The secret may be created later; until then ' +
    'invocations are refused with `secret_missing`.\n' +
    '- `actions:govern` to take the name of an action that was archived or renamed while it was governed or required ' +
    'approval.\n' +
    '- `actions:govern` to create, in a protected environment, an ungoverned action that writes (any method but GET and ' +
    'HEAD).',
  scope: 'actions:write',
  role: 'admin',
  request: { body: createActionBody, issuesBeside: configIssuesOf },
  response: { 201: writtenActionSchema },
  errors: ['CONFLICT'],
  idempotent: true,
  async prepare({ body, caller, deps }) {
    requirePinnableName(body.name, body.mcp?.pinned === true, 'body.mcp.pinned');
    const schemaIssues = await schemaIssuesOf(deps.schemas, caller.tenant.workspaceId, body);
    return buildDefinition(body, null, schemaIssues);
  },
  async change(tx, { body, caller, actor, deps }, { definition, digest, secretNames, findings }) {
    requireSecretScope(caller, secretNames);
    requireGovernToWriteUngoverned(caller, definition);
    const action = await createAction(tx, {
      environmentId: caller.environment.id,
      name: body.name,
      description: body.description ?? null,
      mcpPinned: body.mcp?.pinned === true,
      version: {
        definition,
        digest,
        createdBy: actor,
        changeNote: body.changeNote ?? null,
      },
    });
    await takeNames(tx, caller, [action.name]);
    const warnings = warningsOf(findings, deps.egressAllow, await missingSecretsOf(tx, secretNames));
    return {
      reply: { status: 201, data: { ...presentAction(action), warnings } },
      audit: actionEntry('action.created', action),
    };
  },
});
