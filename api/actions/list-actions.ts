import { z } from 'zod';
import { listActions } from '../../db/actions/queries.ts';
import { defineRoute } from '../http/define-route.ts';
import { presented, queryBoolean } from '../http/common-fields.ts';
import { listedActionSchema, presentAction } from './action-schemas.ts';
import { ACTION_NAME_PATTERN } from './body-schemas.ts';

export const QUERY_CHARACTERS_MAX = 200;

const query = z.strictObject({
  name: z
    .string()
    .regex(ACTION_NAME_PATTERN, 'must be the name of an action')
    .optional()
    .describe('Exactly this name.'),
  query: z
    .string()
    .max(QUERY_CHARACTERS_MAX)
    .optional()
    .describe('Words, each of which the name or the description has, in whatever case.'),
  includeArchived: queryBoolean.optional().describe('Archived actions too; they are left out otherwise.'),
});

export const listActionsRoute = defineRoute({
  of: 'environment',
  id: 'actions.list',
  method: 'GET',
  path: '/api/v2/actions',
  summary: 'List actions, newest first',
  scope: 'actions:read',
  role: 'member',
  request: { query },
  response: { 200: z.array(listedActionSchema) },
  async list(tx, { query: { name, query: wanted = '', includeArchived = false }, page }) {
    const words = wanted.split(/\s+/).filter((word) => word !== '');
    return presented(await listActions(tx, { name, words, includeArchived, ...page }), presentAction);
  },
});
