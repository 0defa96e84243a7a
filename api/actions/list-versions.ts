import { z } from 'zod';
import { getAction } from '../../db/actions/get-action.ts';
import { listVersions } from '../../db/actions/list-versions.ts';
import { defineRoute } from '../http/define-route.ts';
import { actionRefParams, listedVersionSchema, presentVersion } from './action-schemas.ts';
import { missingAction } from '../http/missing.ts';

export const listVersionsRoute = defineRoute({
  id: 'actions.versions.list',
  method: 'GET',
  path: '/api/v2/actions/{ref}/versions',
  summary: 'List the immutable versions of an action, newest first',
  scope: 'actions:read',
  role: 'member',
  request: { params: actionRefParams },
  response: { 200: z.array(listedVersionSchema) },
  errors: ['NOT_FOUND'],
  async list(tx, { params, page }) {
    const action = await getAction(tx, params.ref);
    if (action === null) throw await missingAction(tx, params.ref);
    const { items, total } = await listVersions(tx, action.id, page);
    return { items: items.map(presentVersion), total };
  },
});
