import { z } from 'zod';
import { listActions } from '../../db/actions/list-actions.ts';
import { defineRoute } from '../http/define-route.ts';
import { pageQuery, paginationOf, queryBoolean } from '../http/pagination.ts';
import { actionSchema, presentAction } from './action-schemas.ts';
import { ACTION_NAME_PATTERN } from './body-schemas.ts';

const query = z.strictObject({
  ...pageQuery,
  name: z
    .string()
    .regex(ACTION_NAME_PATTERN, 'must be the name of an action')
    .optional()
    .describe('Exactly this name.'),
  includeArchived: queryBoolean.optional().describe('Archived actions too; they are left out otherwise.'),
});

export const listActionsRoute = defineRoute({
  id: 'actions.list',
  method: 'GET',
  path: '/api/v2/actions',
  summary: 'List actions, newest first',
  scope: 'actions:read',
  role: 'member',
  request: { query },
  response: { 200: z.array(actionSchema) },
  paginated: true,
  errors: [],
  async handler({ query: { page, limit, name, includeArchived = false }, caller, deps }) {
    const { items, total } = await deps.db.withEnvironment(caller.tenant, (tx) =>
      listActions(tx, { name, includeArchived, limit, offset: (page - 1) * limit }),
    );
    return { status: 200, data: items.map(presentAction), pagination: paginationOf(total, page, limit) };
  },
});
