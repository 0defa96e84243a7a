import { getPolicy } from '../../db/approval-policies/queries.ts';
import { existing } from '../../domain/errors.ts';
import { defineRoute } from '../http/define-route.ts';
import { policyParams, policySchema, presentPolicy } from './schemas.ts';

export const getPolicyRoute = defineRoute({
  of: 'environment',
  id: 'approvalPolicies.get',
  method: 'GET',
  path: '/api/v2/approval-policies/{policyId}',
  summary: 'Get an approval policy with its newest document',
  scope: 'policies:read',
  role: 'member',
  request: { params: policyParams },
  response: { 200: policySchema },
  read: async (tx, { params }) => presentPolicy(existing(await getPolicy(tx, params.policyId), 'approval policy')),
});
