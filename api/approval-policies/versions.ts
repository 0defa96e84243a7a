import { z } from 'zod';
import { getPolicyVersion } from '../../db/approval-policies/get-policy-version.ts';
import { getPolicy } from '../../db/approval-policies/get-policy.ts';
import { listPolicyVersions } from '../../db/approval-policies/list-policy-versions.ts';
import { notFound } from '../../domain/errors.ts';
import { defineRoute } from '../http/define-route.ts';
import { pageQuery, paginationOf } from '../http/pagination.ts';
import { policyParams, policyVersionParams, policyVersionSchema, presentPolicyVersion } from './schemas.ts';

export const listPolicyVersionsRoute = defineRoute({
  id: 'approvalPolicies.versions.list',
  method: 'GET',
  path: '/api/v2/approval-policies/{policyId}/versions',
  summary: 'List the immutable versions of an approval policy, newest first',
  scope: 'policies:read',
  role: 'member',
  request: { params: policyParams, query: z.strictObject({ ...pageQuery }) },
  response: { 200: z.array(policyVersionSchema) },
  paginated: true,
  errors: ['NOT_FOUND'],
  async handler({ params, query: { page, limit }, caller, deps }) {
    const { items, total } = await deps.db.withEnvironment(caller.tenant, async (tx) => {
      const policy = await getPolicy(tx, params.policyId);
      if (policy === null) throw notFound('approval policy');
      return listPolicyVersions(tx, policy.id, { limit, offset: (page - 1) * limit });
    });
    return { status: 200, data: items.map(presentPolicyVersion), pagination: paginationOf(total, page, limit) };
  },
});

export const getPolicyVersionRoute = defineRoute({
  id: 'approvalPolicies.versions.get',
  method: 'GET',
  path: '/api/v2/approval-policies/{policyId}/versions/{version}',
  summary: 'Get one version of an approval policy by its number',
  scope: 'policies:read',
  role: 'member',
  request: { params: policyVersionParams },
  response: { 200: policyVersionSchema },
  errors: ['NOT_FOUND'],
  async handler({ params: { policyId, version: number }, caller, deps }) {
    const version = await deps.db.withEnvironment(caller.tenant, (tx) => getPolicyVersion(tx, policyId, number));
    if (version === null) throw notFound('version of an approval policy');
    return { status: 200, data: presentPolicyVersion(version) };
  },
});
