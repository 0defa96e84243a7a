import { archiveAction } from '../../db/actions/changes.ts';
import { defineRoute } from '../http/define-route.ts';
import { actionRefParams, actionSchema, presentAction } from './action-schemas.ts';
import { actionEntry } from './audit.ts';
import { missingAction } from '../http/failures.ts';

export const archiveActionRoute = defineRoute({
  of: 'environment',
  id: 'actions.archive',
  method: 'DELETE',
  path: '/api/v2/actions/{ref}',
  summary: 'Archive an action',
  description:
    'The action takes no more invocations. Its versions and invocations stay readable by id. Its name is free, but the name ' +
    'of an action that was governed or required approval can be taken only with `actions:govern`. Archiving an archived ' +
    'action by id answers 200 and changes nothing; by name it answers 404, because the name no longer refers to it.',
  scope: 'actions:write',
  role: 'admin',
  request: { params: actionRefParams },
  response: { 200: actionSchema },
  errors: ['NOT_FOUND'],
  async change(tx, { params }) {
    const archived = await archiveAction(tx, params.ref);
    if (archived === null) throw await missingAction(tx, params.ref);
    const { action, changed } = archived;
    return {
      reply: { status: 200, data: presentAction(action) },
      audit: changed ? actionEntry('action.archived', action) : 'none: the action was archived before',
    };
  },
});
