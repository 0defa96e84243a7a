import { archiveAction } from '../../db/actions/archive-action.ts';
import { notFound } from '../../domain/errors.ts';
import { defineRoute } from '../http/define-route.ts';
import { actionRefParams, actionSchema, presentAction } from './action-schemas.ts';
import { recordActionChange } from './audit.ts';

export const archiveActionRoute = defineRoute({
  id: 'actions.archive',
  method: 'DELETE',
  path: '/api/v2/actions/{ref}',
  summary: 'Archive an action',
  description:
    'The action takes no more invocations and its name is free (that of an action that is governed or requires approval: for holders ' +
    'of `actions:govern`); its versions and invocations stay readable by id. Archiving ' +
    'by id what is archived already answers 200 and changes nothing; by name it is 404, because the name names nothing then.',
  scope: 'actions:write',
  request: { params: actionRefParams },
  response: { 200: actionSchema },
  errors: ['NOT_FOUND'],
  async handler({ params, caller, actor, requestId, deps }) {
    const action = await deps.db.withEnvironment(caller.tenant, async (tx) => {
      const archived = await archiveAction(tx, params.ref);
      if (archived?.changed === true) {
        await recordActionChange(tx, 'action.archived', archived.action, { caller, actor, requestId });
      }
      return archived?.action ?? null;
    });
    if (action === null) throw notFound('action');
    return { status: 200, data: presentAction(action) };
  },
});
