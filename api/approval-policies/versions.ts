import { z } from 'zod';
import { getPolicy, getPolicyVersion, listPolicyVersions } from '../../db/approval-policies/queries.ts';
import { existing } from '../../domain/errors.ts';
import { presented } from '../http/common-fields.ts';
import { defineRoute } from '../http/define-route.ts';
import {
  policyParams,
  policyVersionParams,
  policyVersionSchema,
  listedPolicyVersionSchema,
  presentListedPolicyVersion,
  presentPolicyVersion,
} from './schemas.ts';

export const listPolicyVersionsRoute = defineRoute({
  of: 'environment',
  id: 'approvalPolicies.versions.list',
  method: 'GET',
  path: '/api/v2/approval-policies/{policyId}/versions',
  summary: 'List the immutable versions of an approval policy, newest first',
  scope: 'policies:read',
  role: 'member',
  request: { params: policyParams },
  response: { 200: z.array(listedPolicyVersionSchema) },
  async list(tx, { params, page }) {
    const policy = existing(await getPolicy(tx, params.policyId), 'approval policy');
    return presented(await listPolicyVersions(tx, policy.id, page), presentListedPolicyVersion);
  },
});

export const getPolicyVersionRoute = defineRoute({
  of: 'environment',
  id: 'approvalPolicies.versions.get',
  method: 'GET',
  path: '/api/v2/approval-policies/{policyId}/versions/{version}',
  summary: 'Get one version of an approval policy by its number',
  scope: 'policies:read',
  role: 'member',
  request: { params: policyVersionParams },
  response: { 200: policyVersionSchema },
  read: async (tx, { params: { policyId, version: number } }) =>
    presentPolicyVersion(existing(await getPolicyVersion(tx, policyId, number), 'version of an approval policy')),
});
