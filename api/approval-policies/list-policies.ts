import { z } from 'zod';
import { listPolicies } from '../../db/approval-policies/queries.ts';
import { presented } from '../http/common-fields.ts';
import { defineRoute } from '../http/define-route.ts';
import { listPoliciesQuery, listedPolicySchema, presentListedPolicy } from './schemas.ts';

export const listPoliciesRoute = defineRoute({
  of: 'environment',
  id: 'approvalPolicies.list',
  method: 'GET',
  path: '/api/v2/approval-policies',
  summary: 'List approval policies, newest first',
  scope: 'policies:read',
  role: 'member',
  request: { query: listPoliciesQuery },
  response: { 200: z.array(listedPolicySchema) },
  list: async (tx, { query: { name, enabled, includeArchived = false }, page }) =>
    presented(await listPolicies(tx, { name, enabled, includeArchived, ...page }), presentListedPolicy),
});
