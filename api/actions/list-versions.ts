import { z } from 'zod';
import { getAction } from '../../db/actions/get-action.ts';
import { listVersions } from '../../db/actions/list-versions.ts';
import { notFound } from '../../domain/errors.ts';
import { defineRoute } from '../http/define-route.ts';
import { pageQuery, paginationOf } from '../http/pagination.ts';
import { actionRefParams, actionVersionSchema, presentVersion } from './action-schemas.ts';

export const listVersionsRoute = defineRoute({
  id: 'actions.versions.list',
  method: 'GET',
  path: '/api/v2/actions/{ref}/versions',
  summary: 'List the immutable versions of an action, newest first',
  scope: 'actions:read',
  role: 'member',
  request: { params: actionRefParams, query: z.strictObject({ ...pageQuery }) },
  response: { 200: z.array(actionVersionSchema) },
  paginated: true,
  errors: ['NOT_FOUND'],
  async handler({ params, query: { page, limit }, caller, deps }) {
    const { items, total } = await deps.db.withEnvironment(caller.tenant, async (tx) => {
      const action = await getAction(tx, params.ref);
      if (action === null) throw notFound('action');
      return listVersions(tx, action.id, { limit, offset: (page - 1) * limit });
    });
    return { status: 200, data: items.map(presentVersion), pagination: paginationOf(total, page, limit) };
  },
});
