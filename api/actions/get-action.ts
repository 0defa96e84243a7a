import { getAction } from '../../db/actions/queries.ts';
import { defineRoute } from '../http/define-route.ts';
import { actionRefParams, actionSchema, presentAction } from './action-schemas.ts';
import { missingAction } from '../http/failures.ts';

export const getActionRoute = defineRoute({
  of: 'environment',
  id: 'actions.get',
  method: 'GET',
  path: '/api/v2/actions/{ref}',
  summary: 'Get an action by id or name',
  scope: 'actions:read',
  role: 'member',
  request: { params: actionRefParams },
  response: { 200: actionSchema },
  async read(tx, { params }) {
    const action = await getAction(tx, params.ref);
    if (action === null) throw await missingAction(tx, params.ref);
    return presentAction(action);
  },
});
