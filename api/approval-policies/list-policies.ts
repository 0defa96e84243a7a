import { z } from 'zod';
import { listPolicies } from '../../db/approval-policies/list-policies.ts';
import { defineRoute } from '../http/define-route.ts';
import { paginationOf } from '../http/pagination.ts';
import { listPoliciesQuery, policySchema, presentPolicy } from './schemas.ts';

export const listPoliciesRoute = defineRoute({
  id: 'approvalPolicies.list',
  method: 'GET',
  path: '/api/v2/approval-policies',
  summary: 'List approval policies, newest first',
  scope: 'policies:read',
  role: 'member',
  request: { query: listPoliciesQuery },
  response: { 200: z.array(policySchema) },
  paginated: true,
  errors: [],
  async handler({ query: { page, limit, name, enabled, includeArchived = false }, caller, deps }) {
    const { items, total } = await deps.db.withEnvironment(caller.tenant, (tx) =>
      listPolicies(tx, { name, enabled, includeArchived, limit, offset: (page - 1) * limit }),
    );
    return { status: 200, data: items.map(presentPolicy), pagination: paginationOf(total, page, limit) };
  },
});
