import { createAction } from '../../db/actions/create-action.ts';
import { defineRoute } from '../http/define-route.ts';
import { requireGovernToWriteUngoverned, requireSecretScope, takeNames } from './access.ts';
import { presentAction } from './action-schemas.ts';
import { actionEntry } from './audit.ts';
import { createActionBody } from './body-schemas.ts';
import { buildDefinition, configIssuesOf, schemaIssuesOf } from './definition.ts';
import { missingSecretsOf, warningsOf, writtenActionSchema } from './warnings.ts';

export const createActionRoute = defineRoute({
  id: 'actions.create',
  method: 'POST',
  path: '/api/v2/actions',
  summary: 'Create an action and its version 1',
  description:
    'The definition is checked whole: the schemas, the config by its adapter, the declarations, and what each refers to in the ' +
    'input. `warnings` say what may be wrong nevertheless. To refer to vault secrets the ' +
    'credential needs `secrets:read` or `secrets:write`; a secret that does not exist yet may be referred to, and a dispatch ' +
    'is refused with `secret_missing` until it does. A name that an action left behind (archived, or renamed) while it was governed ' +
    'or required approval takes `actions:govern`. So does an ungoverned action that writes (any method but GET and HEAD) in a ' +
    'protected environment.',
  scope: 'actions:write',
  request: { body: createActionBody, issuesBeside: configIssuesOf },
  response: { 201: writtenActionSchema },
  errors: ['CONFLICT'],
  idempotent: true,
  async prepare({ body, caller, deps }) {
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
